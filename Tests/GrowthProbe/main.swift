// Measures growth of memory under load: `GrowthProbe SECONDS [EVENTS-A-SECOND [SAMPLING]]`. One process makes short chains,
// races, rejections and cancellations at that rate (default 200,000), some of them on threads that come and go, and
// records one chain in SAMPLING (default 1); `chainview attach` shows them on a pseudo-terminal in another. The resident
// memory of both is sampled, and a line is fitted after a warm-up of a third of the time. One minute
// detects growth of 400 MB an hour, twenty minutes growth of 5. Prints one figure a line, NAME VALUE UNIT limit LIMIT
// ok|MISS, and exits with 1 after a MISS.
import Foundation

let arguments = CommandLine.arguments
if arguments.count == 5, arguments[1] == "--program" {
    Program.run(folder: arguments[2], rate: Double(arguments[3]) ?? 200_000, sampling: Int(arguments[4]) ?? 1)
}
guard let duration = arguments.dropFirst().first.flatMap({ Double($0) }), duration >= 60 else {
    let words = "GrowthProbe: give a duration of at least 60 seconds, because the first third is a warm-up.\n"
    FileHandle.standardError.write(Data(words.utf8))
    exit(64)
}
let rate = arguments.count > 2 ? Double(arguments[2]) ?? 200_000 : 200_000
let sampling = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
exit(try Growth(duration: duration, rate: rate, sampling: sampling).run() ? 0 : 1)
