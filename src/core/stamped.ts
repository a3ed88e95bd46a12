import type { Stamps } from './write.ts'

type Row = {
  readonly id: string
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** A row's parts with the version and times that a write gave it; as they are when the write did not touch it. */
export function stamped<Parts extends Row>(parts: Parts, stamps: Stamps): Parts {
  const stamp = stamps.get(parts.id)
  if (!stamp) return parts
  return { ...parts, version: stamp.version, updatedAt: stamp.at, createdAt: parts.createdAt || stamp.at }
}
