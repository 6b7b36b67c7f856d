public import TrackLibraryKind

/// The tags that the application defines. They are in every library, from its first change of tags on.
public enum SystemTags {
  public static let all = [
    LibraryTag(
      id: NameBasedID.tag("Favorites"), name: "Favorites", hexColor: "#FF2D55", isSystemTag: true),
    LibraryTag(
      id: NameBasedID.tag("Recent"), name: "Recent", hexColor: "#007AFF", isSystemTag: true),
  ]
}
