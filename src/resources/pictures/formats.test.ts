import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { formatOf, typeOfName } from './schema.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
/** The first box of an ISO base media file. */
const ftyp = (major: string, ...compatible: string[]) =>
  `\0\0\0${String.fromCharCode(16 + 4 * compatible.length)}ftyp${major}\0\0\0\0${compatible.join('')}`

describe('the first bytes determine the format', () => {
  test.each([
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png', 'png'],
    ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg', 'jpg'],
    ['\xff\xd8\xff\xdb', 'image/jpeg', 'jpg'],
    ['RIFF\x24\0\0\0WEBPVP8 ', 'image/webp', 'webp'],
    ['GIF87a\x01\0', 'image/gif', 'gif'],
    ['GIF89a\x01\0', 'image/gif', 'gif'],
    [ftyp('avif', 'mif1', 'miaf'), 'image/avif', 'avif'],
    [ftyp('avis'), 'image/avif', 'avif'],
    [ftyp('mif1', 'miaf', 'avif'), 'image/avif', 'avif'],
  ])('%j', (text, type, extension) => {
    expect(formatOf(bytes(text))).toMatchObject({ type, extension })
    // Also at an offset within a buffer.
    expect(formatOf(bytes(`xxxxx${text}`).subarray(5))).toMatchObject({ type })
  })

  test.each([
    [''],
    ['\x89PNG'],
    ['\xff\xd8'],
    ['GIF88a\0'],
    [' GIF89a'],
    ['RIFF\x24\0\0\0WAVEfmt '],
    ['XIFF\x24\0\0\0WEBPVP8 '],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['<!doctype html><script>alert(1)</script>'],
    ['%PDF-1.7'],
    [ftyp('mp42', 'isom')],
    [ftyp('heic', 'mif1', 'heic')],
    ['\0\0\0\x18moovavif\0\0\0\0avif'],
    // The brand is outside of the box.
    [`${ftyp('mif1', 'miaf')}avif`],
    // The box claims to be longer than the file.
    ['\xff\xff\xff\xffftypmif1\0\0\0\0miaf'],
    ['\0\0\0\x08ftyp'],
  ])('%j is none', (text) => {
    expect(formatOf(bytes(text))).toBeNull()
  })
})

test.each([
  ['0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.png', 'image/png'],
  ['0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.jpg', 'image/jpeg'],
  ['0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.svg', null],
  ['0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11', null],
  ['0B7F0C52-5C1E-4F6B-9D0F-3A1A5A0E7D11.png', null],
  ['../0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.png', null],
  ['0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.png.html', null],
  ['constructor', null],
])('the name %s has the type %s', (name, type) => {
  expect(typeOfName(name)).toBe(type)
})
