import * as z from 'zod'
import { readOnly, type Shape } from '../../core/schema.ts'

/**
 * The supported picture formats, detected by a file's first bytes. None of them can contain scripts, so SVG is not
 * supported.
 */

type Format = {
  /** The media type of responses. */
  readonly type: string
  readonly extension: string
  readonly begins: (bytes: Uint8Array) => boolean
}

/** Number of first bytes that detect a format. */
export const signatureBytes = 64

const formats: readonly Format[] = [
  { type: 'image/png', extension: 'png', begins: (bytes) => text(bytes, 0, 8) === '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', extension: 'jpg', begins: (bytes) => text(bytes, 0, 3) === '\xff\xd8\xff' },
  {
    type: 'image/webp',
    extension: 'webp',
    begins: (bytes) => text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 12) === 'WEBP',
  },
  {
    type: 'image/avif',
    extension: 'avif',
    begins: (bytes) => brandsOf(bytes).some((brand) => /^avi[fs]$/.test(brand)),
  },
  { type: 'image/gif', extension: 'gif', begins: (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6)) },
]

/** The supported media types. */
export const pictureTypes: readonly string[] = formats.map(({ type }) => type)

/** Detects the format from the first bytes of a file. Returns null for an unknown format. */
export function formatOf(bytes: Uint8Array): Pick<Format, 'type' | 'extension'> | null {
  return formats.find(({ begins }) => begins(bytes)) ?? null
}

/** The media type of a stored picture by its name. Returns null for any name that the service did not generate. */
export function typeOfName(name: string): string | null {
  const extension = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(\w+)$/.exec(name)?.[1]
  return formats.find((format) => format.extension === extension)?.type ?? null
}

/**
 * The brands of an ISO base media file (ISO/IEC 14496-12 §4.3): the major brand and the compatible ones in its first
 * box.
 */
function brandsOf(bytes: Uint8Array): string[] {
  if (text(bytes, 4, 8) !== 'ftyp') return []
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const end = Math.min(size, bytes.length)
  const offsets = [8]
  for (let at = 16; at + 4 <= end; at += 4) offsets.push(at)
  return offsets.map((at) => text(bytes, at, at + 4))
}

function text(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to))
}

/** The path of pictures on the tenant's hosts. */
export const picturesPath = '/pictures'

export const picture = {
  type: 'Picture',
  description: 'An uploaded picture. Its address never shows another one.',
  collection: '/api/pictures',
  readWith: null,
  properties: {
    url: readOnly(
      z.string().meta({ format: 'uri' }),
      'Its address, for the `media` of products and variants; every client that has it can read the picture.',
      { example: 'https://acme.example.com/pictures/0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.webp' },
    ),
    mediaType: readOnly(z.enum(pictureTypes), 'Its format, detected from its first bytes.', {
      example: 'image/webp',
    }),
    size: readOnly(z.int(), 'How many bytes it has.', { example: 48_213 }),
  },
} satisfies Shape

/**
 * The storage key of a picture. It starts with the tenant id, so that no host can name a picture of another tenant.
 */
export function keyOf(tenantId: string, name: string): string {
  return `${tenantId}/${name}`
}
