/// The tags that the application defines. They are in every library, from its first change of tags on.
public enum SystemTags {
  /// `Favorites` and `Recent`. Their ids follow from their names, and are the same in every library.
  public static let all = [
    LibraryTag(
      id: NameBasedID.tag("Favorites"), name: "Favorites", hexColor: "#FF2D55", isSystemTag: true),
    LibraryTag(
      id: NameBasedID.tag("Recent"), name: "Recent", hexColor: "#007AFF", isSystemTag: true),
  ]
}
