package struct BlockKey: Hashable, Sendable {
  package var instance: UUID
  package var index: UInt32
  package var digest: Digest

  package init(_ ref: BlockRef) {
    instance = ref.instance
    index = ref.index
    digest = ref.digest
  }

  package var ref: BlockRef { BlockRef(instance: instance, index: index, digest: digest) }
}
