import Projections

extension ProjectorFingerprint {
  static let soundLibrary = ProjectorFingerprint(
    kind: SoundLibraryProjector.kind, layout: SoundLibraryProjector.layout,
    version: SoundLibraryProjector.version, schema: SoundLibrarySchema.schema)
}
