// SPDX-License-Identifier: MIT

// Prints figures, one a line: NAME VALUE UNIT, and NAME/PEER RATIO x limit LIMIT ok|MISS where there is a limit. Times are
// processor time of the whole process (of the calling thread, in the figures of the bus and of recording). Arguments choose
// figures by the start of their names.
let wanted = CommandLine.arguments.dropFirst()

func isWanted(_ name: String) -> Bool { wanted.isEmpty || wanted.contains(where: name.hasPrefix) }

for figure in busFigures where isWanted(figure.name) { figure.report() }
for comparison in busComparisons + promiseComparisons + wireComparisons
where isWanted("\(comparison.family).\(comparison.name)") {
    comparison.report()
}
for figure in recordingFigures + wireFigures + stallFigures where isWanted(figure.name) { figure.report() }
for scaling in scalings where isWanted(scaling.name) { scaling.report() }
