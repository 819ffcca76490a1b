// Measures growth of memory under load: `GrowthProbe SECONDS [EVENTS-A-SECOND [SAMPLING]] [--storm] [--view NAME|each]`.
// One process makes short chains, races, rejections and cancellations at that rate (default 200,000), some of them on
// threads that come and go, and records one chain in SAMPLING (default 1). With `--storm` it makes what
// `chainview demo storm --speed 58` makes: many chains of short life, which are seen in flight. `chainview attach` shows
// them on a pseudo-terminal in another process, in the view NAME, or once in each view. The resident memory of both is
// sampled, and its slope is taken after a warm-up of a third of the time. One minute detects growth of 400 MB an hour,
// twenty minutes growth of 5. Prints one figure a line, NAME VALUE UNIT limit LIMIT ok|MISS, and exits with 1 after a
// MISS.
import Dashboard
import Foundation

/// Prints what is wrong with the command line, and ends.
func refuse(_ words: String) -> Never {
    FileHandle.standardError.write(Data("GrowthProbe: \(words)\n".utf8))
    exit(64)
}

var arguments = Array(CommandLine.arguments.dropFirst())
if let program = arguments.first, program == "--program" {
    Program.run(folder: arguments[1], Load(words: Array(arguments.dropFirst(2))))
}
var views: [ViewID?] = [nil]
if let index = arguments.firstIndex(of: "--view") {
    let name = index + 1 < arguments.count ? arguments[index + 1] : ""
    views = name == "each" ? Array(ViewID.allCases) : [ViewID(name: name)]
    guard views.first != .some(nil) else { refuse("there is no view \(name).") }
    arguments.removeSubrange(index...index + 1)
}
guard let duration = arguments.first.flatMap({ Double($0) }), duration >= 60 else {
    refuse("give a duration of at least 60 seconds, because the first third is a warm-up.")
}
let load = Load(words: Array(arguments.dropFirst()))
var isOK = true
for view in views { isOK = try Growth(duration: duration, load: load, view: view).run() && isOK }
exit(isOK ? 0 : 1)

// SPDX-License-Identifier: MIT
