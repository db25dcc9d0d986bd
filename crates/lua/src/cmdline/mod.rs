//! sysbench's command line as values: the options that are built in, and how a line of words becomes an invocation.
