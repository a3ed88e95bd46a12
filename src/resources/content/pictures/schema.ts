import * as z from 'zod'
import { readOnly, type Shape } from '../../../core/property.ts'
import { pictureTypes } from './formats.ts'

/** Where pictures are served, on the tenant's own hosts. */
export const picturesPath = '/pictures'

export const picture = {
  type: 'Picture',
  description: 'An uploaded picture. Its address never shows another one.',
  collection: '/api/pictures',
  readWith: null,
  properties: {
    url: readOnly(
      z.string().meta({ format: 'uri' }),
      'Its address, for the `media` of products and variants; whoever knows it can see the picture.',
      { example: 'https://acme.example.com/pictures/0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.webp' },
    ),
    mediaType: readOnly(z.enum(pictureTypes), 'Its format, as its first bytes tell it.', {
      example: 'image/webp',
    }),
    size: readOnly(z.int(), 'How many bytes it has.', { example: 48_213 }),
  },
} satisfies Shape
