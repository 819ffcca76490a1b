import Frames

// What a key means: an intent by the table, else a letter of the line that is being typed.
extension State {
    mutating func press(_ key: KeyPress) -> [Effect] {
        endMessage()
        if case .help = mode, helpSearch.isTyping, key != .control("c") {
            typeHelpSearch(key)
            return []
        }
        if let intent = KeyMap.intent(for: key, in: context) { return handle(intent) }
        guard let line = typedLine else { return pressUnbound(key) }
        switch (key.key, key.modifiers) {
        case (.character(let character), []), (.character(let character), .shift): retype(line + String(character))
        // Of an empty line the sign before it goes.
        case (.backspace, _):
            if line.isEmpty { return handle(.abort) }
            retype(String(line.dropLast()))
        case (.character("u"), .control): retype("")
        default: break
        }
        return []
    }

    /// A key ends messages that were for reading; warnings stay for their time.
    mutating func endMessage() {
        guard let status, status.isSticky || status.tone == .plain else { return }
        self.status = nil
        revision += 1
    }

    /// Says that a key has no meaning here; with Shift, an arrow means what it means without.
    private mutating func pressUnbound(_ key: KeyPress) -> [Effect] {
        if key.modifiers == .shift, let intent = KeyMap.intent(for: KeyPress(key.key), in: context) {
            return handle(intent)
        }
        if context.isView { notify("\(KeyMap.name(of: key, options.glyphs)) is not bound; ? lists the keys") }
        return []
    }

    /// The filter or command that is being typed.
    private var typedLine: String? {
        switch mode {
        case .filter(let line), .command(let line): line
        case .normal, .confirm, .help: nil
        }
    }

    private mutating func retype(_ line: String) {
        if case .command = mode { typeCommand(line) } else { type(line) }
    }

    /// Goes on typing with what was pasted, on one line; where none is being typed a text is no keys.
    mutating func paste(_ text: String) {
        guard let line = typedLine else { return notify("pasted text goes into a line: press / or : first") }
        retype(line + text.filter { !$0.isNewline })
    }
}
