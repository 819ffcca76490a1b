/// The content of the detail pane.
struct ViewDetail {
    var title: String
    var lines: [DetailLine]
}
