// SPDX-License-Identifier: MIT

import Dashboard

extension ConfigKey {
    /// The text of a configuration file with every key at its default.
    static var defaultFile: String {
        var lines = [
            "# chainview reads this as $XDG_CONFIG_HOME/chainview/config.toml, else as ~/.config/chainview/config.toml.",
            "# Every key has its default here. `chainview config --check` checks a file.",
        ]
        var table: [String] = []
        for key in all {
            let own = Array(key.path.dropLast())
            if own != table {
                lines += ["", "[\(own.joined(separator: "."))]"]
                if own == ["keep"] { lines.append("# How much the dashboard keeps of what is settled.") }
                table = own
            }
            lines.append("")
            for text in key.help { lines += DisplayText.wrapped(text, to: 100).map { "# " + $0 } }
            lines.append("\(key.name) = \(key.value)")
        }
        lines += [
            "", "[queries]",
            "# Named queries: type / and @NAME in the dashboard. The keys A, F, T and B of the dashboard use",
            "# live, failed, slow and stuck:",
        ]
        lines += ["live", "failed", "slow", "stuck"].map { "# \($0) = \(TOMLText.quoted(SavedQueries.builtIn[$0]!))" }
        lines += [
            "# old-orders = \"label:order age>1m\""
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
