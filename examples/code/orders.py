"""Orders of a shop."""


def total(lines, tax):
    amount = 0

    for line in lines:
        price = line["price"] * line["count"]  # without tax
        amount += price - price * line.get("discount", 0)

    return round(amount * (1 + tax), 2)


def without(orders, customer):
    return [order for order in orders if order["customer"] != customer]
