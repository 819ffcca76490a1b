// SPDX-License-Identifier: MIT

/// A moment as one HTML file, which needs no network: tree, timeline, sites and warnings, with a filter.
package enum HTMLExport {
    /// The maximum number of nodes that are shown by default.
    package static let nodeLimit = 20_000

    /// The contents of the elements `style` and `script`, the same in every page.
    static let style = "\n\(pageStyle)\n", script = "\n\(pageScript)\n\(pageActions)\n"

    /// The SHA-256 of ``style``, in base 64: a browser accepts no other style. A test checks it.
    static let styleHash = "VT3BGjeTbquwi8trPAmywJoMYyfNErqFa/xSH8j4mwE="
    /// The SHA-256 of ``script``, in base 64: a browser runs no other script. A test checks it.
    static let scriptHash = "IUMuTcbdm8j3xUNB+FfxDk1EkFHZEaOWqaaO67Cef68="

    package static func write(_ moment: Moment, to output: TextOutput) throws {
        let title = MarkupText.escaped(moment.title)
        // The page fetches nothing, and runs no script but its own. The element with the data is not a script.
        let policy =
            "default-src 'none'; style-src 'sha256-\(styleHash)'; script-src 'sha256-\(scriptHash)'; img-src data:"
        try output(
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width">
            <meta name="generator" content="chainview">
            <title>\(title)</title>
            <style>\(style)</style>
            \(pageBody)
            <script type="application/json" id="data">\(PageData(moment).json)</script>
            <script>\(script)</script>
            </html>

            """)
    }
}
