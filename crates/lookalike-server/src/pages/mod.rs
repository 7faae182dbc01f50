//! The screens that people look at.
