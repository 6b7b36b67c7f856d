import LibC

#if canImport(Glibc)
  import CGlibc
#endif

/// File systems that several machines may share.
enum SharedFileSystem {
  /// Whether a file or folder is on one; false if the system does not say.
  static func has(_ descriptor: Int32) -> Bool {
    var info = statfs()
    guard fstatfs(descriptor, &info) == 0 else { return false }
    #if canImport(Glibc)
      return magicNumbers.contains(UInt32(truncatingIfNeeded: info.f_type))
    #else
      return info.f_flags & UInt32(MNT_LOCAL) == 0
    #endif
  }

  /// As Linux names them in `f_type` (statfs(2)). FUSE is among them, since sshfs and others are; cluster file systems whose folders have
  /// locks of all machines (GFS2, OCFS2) are not.
  static let magicNumbers: Set<UInt32> = [
    0x6969,  // NFS
    0x517B, 0xFF53_4D42, 0xFE53_4D42,  // SMB
    0x0102_1997,  // 9P
    0x6573_5546,  // FUSE
    0x00C3_6400,  // Ceph
    0x5346_414F, 0x6B41_4653,  // AFS
    0x7375_7245,  // Coda
    0x0BD0_0BD0,  // Lustre
    0x4750_4653,  // GPFS
    0x1983_0326,  // BeeGFS
    0x786F_4256,  // folders of VirtualBox
  ]
}
