// Prints one line a figure: NAME VALUE UNIT limit LIMIT ok|MISS. Arguments choose figures by the start of their names.
let wanted = CommandLine.arguments.dropFirst()
for figure in busFigures + promiseFigures
where wanted.isEmpty || wanted.contains(where: { figure.name.hasPrefix($0) }) {
    print(figure.line())
}
