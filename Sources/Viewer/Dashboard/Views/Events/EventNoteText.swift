// SPDX-License-Identifier: MIT

import ChainText

extension EventText {
    /// Returns the title and the explanation of a row that is no event.
    static func words(for note: EventsInsight.Note) -> (title: String, explanation: String) {
        func counted(_ count: UInt64, _ noun: String) -> String { CountText.counted(Int(clamping: count), noun) }
        switch note {
        case .lost(let count):
            return (
                "\(counted(count, "event")) lost here",
                "More came than the program's buffers or this connection could take. The nodes' states were sent again; "
                    + "what happened in between is not known."
            )
        case .dropped(let count):
            return (
                "\(counted(count, "event")) came while frozen and \(count == 1 ? "was" : "were") not kept",
                "While the picture is frozen only so many are kept. The program was asked for its state afterwards."
            )
        case .snapshot(let count):
            return (
                "\(CountText.counted(count, "node")) existed before recording began",
                "These nodes existed when the program was attached to, or asked for its state again; their earlier events are "
                    + "not known."
            )
        }
    }
}
