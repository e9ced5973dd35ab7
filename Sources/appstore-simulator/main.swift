// This executable is being built.
