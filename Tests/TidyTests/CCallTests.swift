import Testing

/// The C files of a target use each other one way, so that each can be read after those that it uses.
struct CCallTests {
    @Test func filesOfATargetUseEachOtherOneWay() {
        let targets = Dictionary(grouping: Repository.sources.filter { !$0.isSwift }, by: \.target)
        #expect(targets.count > 5)
        var count = 0
        for (target, files) in targets {
            let uses = uses(among: files)
            count += uses.count
            #expect(circles(in: uses) == [], "\(target)")
        }
        #expect(count > 30)
    }

    @Test func circlesAreFound() {
        let texts = [
            "a.c": """
            int a_count, a_all[2] = {b(1)};
            int a(int n) {
                return n;
            }
            #define A b(2)
            """,
            "b.c": """
            static int c(void) { return 1; }
            struct b { int a; } b_one;
            int b(int n) __attribute__((x(1))) { return n; }
            """,
            "c.h": """
            #ifdef __cplusplus
            extern "C" {
            #endif
            extern int a_count;
            static inline int c(void) { return a(1); }
            """,
        ]
        let files = texts.keys.sorted().map { SourceFile(path: "Sources/C/\($0)", text: texts[$0] ?? "") }
        #expect(files.map(definitions) == [["a_count", "a_all", "a"], ["b_one", "b"], ["c"]])
        #expect(circles(in: uses(among: files)) == ["a uses b", "b uses a", "b uses c", "c uses a"])
        #expect(circles(in: uses(among: [files[0], files[2]])) == [])
    }
}

/// A room is a C file with the header of its name.
private struct Use: Hashable { var user, used: String }

/// Returns which rooms use a function or a variable that another room defines.
private func uses(among files: [SourceFile]) -> Set<Use> {
    var rooms: [String: String] = [:]
    for file in files {
        for name in definitions(in: file) { rooms[name] = room(of: file) }
    }
    return Set(
        files.flatMap { file in
            WordRules.words(stripped(file)).compactMap { rooms[$0] }.filter { $0 != room(of: file) }
                .map { Use(user: room(of: file), used: $0) }
        })
}

/// Returns the uses that are left once the rooms that use no others are removed, again and again: those of circles, and
/// those that lead to circles.
private func circles(in uses: Set<Use>) -> [String] {
    var rest = uses
    while true {
        let users = Set(rest.map(\.user))
        let next = rest.filter { users.contains($0.used) }
        if next.count == rest.count { return rest.map { "\($0.user) uses \($0.used)" }.sorted() }
        rest = next
    }
}

private func room(of file: SourceFile) -> String { String(file.name.dropLast(2)) }

/// Returns the text of a C file without comments and literals.
private func stripped(_ file: SourceFile) -> String {
    file.lines.joined(separator: "\n").replacing(/\/\/.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'/, with: "")
}

/// Returns the functions and variables that a C file defines for others.
private func definitions(in file: SourceFile) -> Set<String> {
    let code = stripped(file)
        .replacing(/#ifdef __cplusplus\n.*\n#endif/, with: "")
        .replacing(/(?m)^ *#(?:.*\\\n)*.*/, with: "")
        .replacing(/__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)/, with: "")
    var (names, head, depth): (Set<String>, String, Int) = ([], "", 0)
    func add(_ name: String?) {
        let others = file.name.hasSuffix(".h") ? ["extern", "typedef"] : ["static", "extern", "typedef"]
        if let name, !WordRules.words(head).contains(where: others.contains) { names.insert(name) }
    }
    func isFunction() -> Bool { head.contains("(") && !head.contains("=") }
    for character in code {
        switch character {
        case "{":
            if depth == 0, isFunction() { add(WordRules.words(String(head.prefix { $0 != "(" })).last) }
            depth += 1
        case "}":
            depth -= 1
            if depth == 0, isFunction() { head = "" }
        case ";" where depth == 0:
            let declared = WordRules.words(head)
            // At least a type and a name.
            let isType = ["struct", "union", "enum"].contains(declared.first)
            if !isFunction(), declared.count > (isType ? 2 : 1) {
                for part in head.split(separator: ",") {
                    add(WordRules.words(String(part.prefix { !"=[".contains($0) })).last)
                }
            }
            head = ""
        default:
            if depth == 0 { head.append(character) }
        }
    }
    #expect(depth == 0, "\(file)")
    return names
}

// SPDX-License-Identifier: MIT
