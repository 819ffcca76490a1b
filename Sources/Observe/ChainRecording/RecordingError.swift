// SPDX-License-Identifier: MIT

import ChainSystem

/// The reason why a file cannot be read as a recording, or cannot be written.
package enum RecordingError: Error, Hashable, CustomStringConvertible {
    /// The file does not begin as recordings do.
    case notRecording
    /// The file was written by an incompatible version.
    case version(UInt16)
    /// The file's header is damaged.
    case damagedHeader
    /// The file is packed in a way that this program cannot read.
    case packed
    /// The file holds no whole state of a program.
    case empty
    /// The size limit leaves no room for the program's state and what follows it.
    case limitTooSmall
    /// The disk is full, and too little was recorded to make room by dropping the oldest segments.
    case diskFull
    /// The file was removed while it was being written.
    case removed
    /// An error of the system.
    case system(SystemError)

    /// What is wrong, in a clause that follows the file's name.
    package var description: String {
        switch self {
        case .notRecording: "is not a chainview recording"
        case .version(let version):
            "was recorded by version \(version) of the format, and this chainview reads version "
                + "\(RecordingFormat.version): bring both to the same release"
        case .damagedHeader: "has a damaged header"
        case .packed: "is packed with Zstandard, which only chainview reads: record it with --raw"
        case .empty: "holds no whole state of a program"
        case .limitTooSmall: "has a size limit that leaves no room for the program's state: give a greater one"
        case .removed: "was removed while it was being written"
        case .diskFull: "cannot be written: the disk is full"
        // Reading a recording begins with a seek to its end, which a pipe refuses.
        case .system(let error) where error.code == ESPIPE: "is a pipe: write it into a file first"
        case .system(let error) where error.code == ENOSPC: Self.diskFull.description
        case .system(let error) where error.isNoRoom: "cannot be written: \(error)"
        case .system(let error): "cannot be used: \(error)"
        }
    }
}
