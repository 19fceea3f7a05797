//! Ready-made nets for common cases.
