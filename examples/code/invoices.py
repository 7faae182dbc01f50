"""Invoices of a shop."""

from datetime import date


def sum_of_invoice(lines, tax):
    # Discounts are shares of the price.
    amount = 0
    for line in lines:
        price = line["price"] * line["count"]
        amount += price - price * line.get("discount", 0)
    return round(amount * (1 + tax), 2)


def is_due(invoice):
    return invoice["due"] < date.today()
