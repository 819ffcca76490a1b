// SPDX-License-Identifier: MIT

import TOMLKit

extension ConfigKey {
    static let history = [
        ConfigKey(
            path: ["history", "memory"],
            help: [
                "The most memory for the last minutes of the programs, for looking back (the keys < and ,); \"0\" for "
                    + "no history. While the past is shown it takes up to twice as much."
            ], value: TOMLText.quoted("64M"),
            allowed: "\"0\", or a number of bytes from 4M on such as \"64M\" or \"1G\""
        ) {
            guard let count = $0.string.flatMap({ ByteCount($0)?.count }), count == 0 || count >= 4 << 20 else {
                return ""
            }
            $1.historyMemory = count
            return nil
        }
    ]
}
