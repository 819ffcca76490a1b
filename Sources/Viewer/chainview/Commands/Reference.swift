// SPDX-License-Identifier: MIT

import ChainInsight
import Dashboard

/// A chapter that the manual page and the articles of the manual share. An article has it between two marks, where
/// `make record FILTER=ReferenceTests` writes it.
struct Reference {
    typealias Row = (term: String, text: String)

    /// The mark in the article.
    var name: String
    /// The heading in the manual page.
    var heading: String
    /// Sentences before the tables.
    var introduction: String
    var tables: [(title: String, rows: [Row])]

    static let all = [
        Reference(
            "keys",
            """
            A key means the same in every view. Only in a recording, in the boxes over the screen and while a line is \
            typed do some keys mean something else.
            """, HelpText.keys),
        Reference("screen", "", HelpText.legend()),
        Reference(
            "commands", heading: "COMMANDS OF THE DASHBOARD",
            "Type them after `:`. The beginning of a name is enough if no other name begins so.", [HelpText.commands]),
        Reference(
            "queries",
            "Type them after `/` in the dashboard, after `:filter` and `:alert`, or as the value of `--where`.",
            [HelpText.queries]),
        Reference(
            "warnings", "Names for `-W`, `-A` and the configuration.",
            (
                "Warning",
                WarningKind.allCases.map { kind in
                    let headline = kind.headline
                    return (
                        kind.rawValue, headline.prefix(1).uppercased() + headline.dropFirst() + ". " + kind.explanation
                    )
                }
            )),
        Reference(
            "configuration",
            """
            Keys of the configuration file, in TOML; those of `keep` say how much the dashboard keeps of what is \
            settled. Settings made in the dashboard override the file, and options override both.
            """,
            ("Key", ConfigKey.all.map { ($0.pathText, "\($0.help.joined(separator: " ")) Default: `\($0.value)`.") })),
        Reference("exit-codes", heading: "EXIT STATUS", Chainview.exitNote, ("Exit code", exitCodes)),
        Reference(
            "environment", "",
            ("Read by chainview", variables), ("Read by programs with an inspector", variablesOfPrograms),
            ("Read by tests with ChainTesting", variablesOfTests),
            (
                "Set by chainview",
                [
                    (
                        "CHAINVIEW_LABEL and others",
                        "For commands of alerts and of `watch --exec`: \(AlertCommand.variables)."
                    )
                ]
            )),
        Reference("files", "", ("File", files)),
    ]

    private init(
        _ name: String, heading: String? = nil, _ introduction: String, _ tables: (title: String, rows: [Row])...
    ) {
        self.name = name
        self.heading = heading ?? name.uppercased()
        self.introduction = introduction
        self.tables = tables
    }

    private init(_ name: String, heading: String? = nil, _ introduction: String, _ sections: [HelpText.Section]) {
        self.init(name, heading: heading, introduction)
        tables = sections.map { ($0.title, $0.entries.map { ($0.keys, $0.text) }) }
    }

    static let exitCodes: [Row] =
        [("0", "done, or quit")] + ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }

    private static let variables: [Row] = [
        ("NO_COLOR", "If set and not empty, no colours are used."),
        ("COLORFGBG", "Set by some terminals: whether the background is light, if nothing names a theme."),
        (
            "LC_ALL, LC_CTYPE, LANG",
            "The locale, the first that is set. If it is not UTF-8, chainview draws with ASCII only."
        ),
        ("TERM", "The type of the terminal. On `linux`, the console, chainview draws with ASCII only."),
        ("VISUAL, EDITOR", "The editor that opens a call site; `vi` if neither is set."),
        ("TMUX", "If set and not empty, texts are copied by way of tmux."),
        ("CHAINVIEW_TOKEN_FILE", "A file with the token for `tcp:` targets, of mode 0600."),
        ("CHAINVIEW_SSH", "The command to run instead of `ssh`."),
        (
            "CHAINVIEW_PROC",
            "The folder to search for processes instead of `/proc`. If it is set and empty, only your own folders of "
                + "sockets are searched."
        ),
        (
            "SUDO_UID, SUDO_GID",
            "Set by sudo: editors, alerts and the commands of `watch --exec` run as this user, to whom files belong, too."
        ),
    ]

    private static let variablesOfPrograms: [Row] = [
        (
            "CHAINVIEW",
            "`1`, or the absolute path of a socket: `Inspector.startIfRequested()` starts an inspector, which listens there."
        ),
        (
            "CHAINVIEW_FLIGHT_RECORDER",
            "Beside CHAINVIEW: `1`, a size from `4M` on such as `256M`, or the absolute path of a folder: the program keeps "
                + "a recording of its last minutes."
        ),
        ("CHAINVIEW_BLACK_BOX", "Beside CHAINVIEW: `1` adds a flight recorder with a black box."),
    ]

    private static let variablesOfTests: [Row] = [
        ("CHAINVIEW_RECORD", "`1` writes the tree of a run into the test, unless CI is set."),
        ("CHAINVIEW_RECORD_FAILURES", "A folder in which a failed expectation of a run leaves a recording."),
    ]

    private static let files: [Row] = [
        (
            "$XDG_CONFIG_HOME/chainview/config.toml, ~/.config/chainview/config.toml",
            "The configuration; `chainview config --print-default` prints every key."
        ),
        (
            "$XDG_STATE_HOME/chainview/NAME.toml, ~/.local/state/chainview/NAME.toml",
            "Settings made in the dashboard for the program NAME."
        ),
        (
            "$XDG_RUNTIME_DIR/chainview",
            "Sockets of programs that can be attached to, and the files of their flight recorders."
        ),
        (
            "$TMPDIR/chainview-UID, /tmp/chainview-UID, /run/user/UID/chainview",
            "The same, of programs with another environment."
        ),
        ("FILE.chain, FILE.chain.marks", "A recording, and the marks in it, as text. Both have mode 0600."),
    ]
}
