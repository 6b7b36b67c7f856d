// The name that the module `SoundLibrary` had before; it goes with the next release.
@_exported public import SoundLibrary
