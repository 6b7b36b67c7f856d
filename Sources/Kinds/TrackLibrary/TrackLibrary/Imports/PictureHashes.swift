/// Hashes pictures, each time that it is asked to, and counts how often that was.
struct PictureHashes {
  private(set) var count = 0

  mutating func artwork(_ picture: [UInt8]) -> Artwork {
    count += 1
    return Artwork(picture)
  }
}
