// Figures of attaching, one a line: NAME VALUE UNIT, and limit LIMIT ok|MISS. Programs and viewers are
// processes of their own, as in life: this executable again, and the real `chainview` on a pseudo-terminal. Arguments
// choose what is measured by the start of its name.
switch CommandLine.arguments.dropFirst().first {
case "--program":
    ProgramRole.run(folder: CommandLine.arguments[2], hasFlightRecorder: CommandLine.arguments.last == "flight")
case "--viewer": ViewerRole.run(folder: CommandLine.arguments[2], target: CommandLine.arguments[3])
default: Figures.run(wanted: Array(CommandLine.arguments.dropFirst()))
}
