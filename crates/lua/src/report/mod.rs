//! What sysbench prints, as text made from counts: whoever reads it today must be able to read ours.
