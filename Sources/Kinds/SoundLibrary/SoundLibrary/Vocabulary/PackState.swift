/// The stage that a pack has reached on this machine, as rows call it.
public enum PackState: String, CaseIterable, Hashable, Sendable {
  case notDownloaded = "not_downloaded"
  case downloading
  case downloaded
  case failed
}
