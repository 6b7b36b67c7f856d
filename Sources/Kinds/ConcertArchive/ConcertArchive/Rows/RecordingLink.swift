public import Projections

/// A recording that a show lists. One recording may belong to two shows, where `recordings` has room for one.
public struct RecordingLink: Equatable, Sendable {
  public var showID: String
  public var identifier: String
  /// Its place in the show's list, from 0.
  public var position: Int64

  public static let table = TypedTable(
    "projection_show_recording", key: ["show_id", "identifier"],
    indexes: [
      .index("projection_show_recording_identifier", on: ["identifier"]), .lookup(["show_id"]),
    ],
    Field("show_id", \RecordingLink.showID),
    Field("identifier", \RecordingLink.identifier),
    Field("position", \RecordingLink.position),
    make: RecordingLink.init)
}
