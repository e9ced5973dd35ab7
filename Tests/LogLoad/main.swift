import Glibc

signal(SIGPIPE, SIG_IGN)
exit(LoadProgram.run(Array(CommandLine.arguments.dropFirst())))
