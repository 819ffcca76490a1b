import Testing

struct ExampleReaderTests {
    @Test func fencedSwiftIsFoundInMarkdown() {
        let examples = ExampleReader.markdown(
            """
            # Title

            ```swift
            let one = 1

            print(one)  // prints 1
            ```

                not this
            ```js
            nor()
            ```
            - item
              ```swift package-manifest
              let two = 2
                .three
              ```
            """, file: "A.md")
        #expect(examples.map(\.line) == [4, 15])
        #expect(examples.map(\.remark) == ["", "package-manifest"])
        #expect(
            examples.map(\.lines) == [["let one = 1", "", "print(one)  // prints 1"], ["let two = 2", "  .three"]])
        #expect(examples.map(\.prints) == [["1"], []])
    }

    @Test func indentedAndFencedCodeIsFoundInDocComments() {
        let examples = ExampleReader.docComments(
            """
            import A

            /// What.
            ///
            ///     let one = 1
            ///
            ///     one.two()
            ///
            /// - Parameters:
            ///     - a: not code
            struct A {
                /// What.
                /// ```swift
                /// three()
                /// ```
                let a: Int
            }
            ///
            ///     last()
            /// Or:
            ///
            ///     0     8
            ///     ├ this ┤
            """, file: "A.swift")
        #expect(examples.map(\.line) == [5, 14, 19])
        #expect(examples.map(\.lines) == [["let one = 1", "", "one.two()"], ["three()"], ["last()"]])
    }

    @Test func importsAreBlankedAndLineNumbersStay() {
        let example = Example(file: "A.md", line: 1, lines: ["import A", "import B", "", "a()"])
        #expect(example.imports == ["A", "B"])
        #expect(example.body == "\n\n\na()")
    }
}

// SPDX-License-Identifier: MIT
