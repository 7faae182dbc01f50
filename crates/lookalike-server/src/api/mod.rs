//! The routes that programs call.
