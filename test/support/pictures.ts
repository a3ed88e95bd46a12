/** A bucket in this process, as strict as R2 in the features that the service uses, and pictures for it. */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { PictureBucket } from '../../src/env.ts'

/** A class of workerd that Node has not: a stream with a fixed length, which fails if the content has another one. */
class LengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(expected: number) {
    let passed = 0
    super({
      transform(part, controller) {
        passed += part.length
        if (passed > expected)
          throw new TypeError('Attempt to write too many bytes through a FixedLengthStream.')
        controller.enqueue(part)
      },
      flush() {
        if (passed < expected)
          throw new TypeError('FixedLengthStream did not see all expected bytes before close().')
      },
    })
    lengths.set(this.readable, expected)
  }
}
const lengths = new WeakMap<ReadableStream, number>()
Object.assign(globalThis, { FixedLengthStream: LengthStream })

export type TestBucket = PictureBucket & {
  /** The stored objects, by key. */
  readonly kept: Map<string, Uint8Array<ArrayBuffer>>
  /** Whether it is away. */
  failing: boolean
}

/** A bucket of nothing yet. */
export function newBucket(): TestBucket {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const found = (key: string) => {
    if (bucket.failing) throw new Error('the bucket is away')
    const bytes = kept.get(key)
    return bytes ? { key, size: bytes.length, bytes } : null
  }
  const methods = {
    failing: false,
    kept,
    async put(key: string, body: ReadableStream<Uint8Array>) {
      if (!lengths.has(body)) throw new TypeError('Provided readable stream must have a known length')
      if (bucket.failing) throw new Error('the bucket is away')
      const parts: Uint8Array[] = []
      for await (const part of body) parts.push(part)
      const bytes = new Uint8Array(Buffer.concat(parts))
      kept.set(key, bytes)
      return { ...found(key), etag: createHash('md5').update(bytes).digest('hex') }
    },
    async delete(key: string) {
      kept.delete(key)
    },
    head: async (key: string) => found(key),
    async get(key: string) {
      const object = found(key)
      return object && { ...object, body: new Blob([object.bytes]).stream() }
    },
  }
  // Of R2's objects only what the service reads is there.
  const bucket = methods as unknown as TestBucket
  return bucket
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** A picture of one pixel. */
export function smallestPng(): File {
  return new File([Buffer.from(png, 'base64')], 'pixel.png', { type: 'image/png' })
}
