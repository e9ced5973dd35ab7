// Tests of this room are being built.
