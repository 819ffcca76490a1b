#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// Prints figures, one a line: NAME VALUE UNIT, and limit LIMIT ok|MISS where there is one. Times are processor time of
// the whole process (of the calling thread, in the figures of the bus and of recording). Arguments choose
// figures by the start of their names.
let wanted = CommandLine.arguments.dropFirst()

func isWanted(_ name: String) -> Bool { wanted.isEmpty || wanted.contains(where: name.hasPrefix) }

func say(_ lines: [String]) {
    for line in lines { print(line) }
    fflush(nil)  // at once, into a pipe as well
}

for figure in busFigures where isWanted(figure.name) { say([figure.line()]) }
for comparison in busComparisons + promiseComparisons where isWanted("\(comparison.family).\(comparison.name)") {
    say(comparison.lines())
}
for figure in recordingFigures where isWanted(figure.name) { say([figure.line()]) }
for figure in wireFigures where isWanted(figure.name) { say([figure.line()]) }
for figure in stallFigures where isWanted(figure.name) { say([figure.line()]) }
for scaling in scalings where isWanted(scaling.name) { scaling.measureAll(say) }
