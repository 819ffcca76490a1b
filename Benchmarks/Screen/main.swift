// SPDX-License-Identifier: MIT

// Figures of the screen, one a line: NAME VALUE UNIT, and NAME/KERNEL RATIO x limit LIMIT ok|MISS. Times are processor
// time of the one thread that a dashboard has, at 200x60. Arguments choose figures by the start of their names. Parts of a
// figure have no limit of their own.
let wanted = CommandLine.arguments.dropFirst()
let figures: [(name: String, measure: () -> Void)] = [
    ("screen.frame.10k", FrameFigures.few), ("screen.frame.1M", FrameFigures.many),
    ("screen.picture", FrameFigures.pictures),
    ("screen.view", ViewFigures.views), ("screen.upkeep", FrameFigures.upkeep),
    ("screen.fold.10k", FoldFigures.few), ("screen.fold.1M", FoldFigures.many),
    ("screen.fold.scattered", FoldFigures.scattered), ("screen.fold-with-view.10k", FoldFigures.fewWithView),
    ("screen.fold-with-view.1M", FoldFigures.manyWithView),
    ("screen.memory", MemoryFigures.memory),
    ("screen.key", KeyFigures.keys), ("screen.first", KeyFigures.firstScreen), ("screen.shape.wide", ShapeFigures.wide),
    ("screen.shape.deep", ShapeFigures.deep), ("screen.shape.roots", ShapeFigures.roots),
    ("recording", RecordingFigures.all), ("keyframe", KeyframeFigures.all), ("history", HistoryFigures.all),
]
for figure in figures
where wanted.isEmpty || wanted.contains(where: { figure.name.hasPrefix($0) || $0.hasPrefix(figure.name) }) {
    figure.measure()
}
