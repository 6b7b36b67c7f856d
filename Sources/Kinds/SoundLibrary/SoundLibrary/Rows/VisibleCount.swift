import Projections

/// The number of visible items of a kind: to count a million rows takes as long as to open the catalog.
struct VisibleCount: Equatable, Sendable {
  var kind: Kind
  var visible: Int64

  static let table = TypedTable(
    "projection_kind", key: ["kind"], Field("kind", \VisibleCount.kind),
    Field("visible", \VisibleCount.visible), make: VisibleCount.init)
}
