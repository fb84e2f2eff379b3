import Glibc

// These functions are declared here because Swift's Glibc module is built without _GNU_SOURCE.

@_silgen_name("renameat2")
func linuxRename(
  _ oldFolder: Int32, _ old: UnsafePointer<CChar>, _ newFolder: Int32, _ new: UnsafePointer<CChar>, _ flags: UInt32
) -> Int32

/// Fills up to 256 bytes. The first word is the file system type.
@_silgen_name("statfs")
func linuxStatfs(_ path: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer) -> Int32

let renameNoReplaceFlag: UInt32 = 1
let renameExchangeFlag: UInt32 = 2

@_silgen_name("memfd_create")
func linuxMemoryFile(_ name: UnsafePointer<CChar>, _ flags: UInt32) -> Int32

@_silgen_name("posix_spawn_file_actions_addchdir_np") @discardableResult
func linuxAddChangeDirectory(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>
) -> Int32

let linuxTemporary: Int32 = 0o20000000 | O_DIRECTORY

#if arch(arm64)
  let linuxDirect: Int32 = 0o200000
#else
  let linuxDirect: Int32 = 0o40000
#endif
