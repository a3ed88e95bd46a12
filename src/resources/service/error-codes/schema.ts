import * as z from 'zod'
import { readOnly, type Shape } from '../../../core/property.ts'

export const errorCode = {
  type: 'ErrorCode',
  description: 'An error that the service can answer with.',
  collection: '/api/error-codes',
  readWith: 'error_codes:read',
  properties: {
    code: readOnly(z.string(), 'The stable identifier of the error; published, never reused.', {
      example: 'PRD-1001',
    }),
    slug: readOnly(z.string(), 'The stable readable key: domain and name.', {
      example: 'product.handle_taken',
    }),
    domain: readOnly(z.string(), 'What the error is about.', { example: 'product' }),
    httpStatus: readOnly(z.int(), 'The HTTP status that it is answered with.', { example: 409 }),
    message: readOnly(
      z.string(),
      'The message for end users in the language asked for, with the names of its values in braces.',
    ),
    description: readOnly(z.string(), 'When it occurs and what to do, for developers, in English.'),
  },
} satisfies Shape
