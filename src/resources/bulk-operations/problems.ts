import { declareProblems } from '../../core/problem.ts'
import { notFound } from '../shared/problems.ts'

export const bulkOperationProblems = declareProblems('bulk_operation', {
  not_found: notFound('BLK-1001', 'bulk operation', 'bulk operation'),
  cut_off: {
    code: 'BLK-1002',
    status: 400,
    description:
      'The body has more or fewer bytes than its Content-Length announced. Nothing was stored. Send the complete file again.',
    message: 'The file did not arrive complete. Please send it again.',
  },
  too_many_lines: {
    code: 'BLK-1003',
    status: 413,
    description: 'The file has more lines than one bulk operation takes. Split it into several files.',
    message: 'The file has too many lines. Maximum: {limit}.',
  },
  line_too_long: {
    code: 'BLK-1004',
    status: 413,
    description:
      'A line of the file has more bytes than the body of one request can have. Nothing was stored. Send less in this line.',
    message: 'A line of the file is too long. Line: {line}. Maximum size in bytes: {limit}.',
  },
  too_many: {
    code: 'BLK-1005',
    status: 409,
    description:
      'The tenant has as many unfinished bulk operations as it can have. Wait until one of them ends, or cancel one.',
    message: 'Too many files are still being processed. Maximum: {limit}. Please wait until one is finished.',
  },
  ended: {
    code: 'BLK-1006',
    status: 409,
    description: 'The bulk operation has ended, so it cannot be cancelled. Its changes remain.',
    message: 'This bulk operation has already ended.',
  },
  not_ended: {
    code: 'BLK-1007',
    status: 409,
    description:
      'The bulk operation has not ended, so it cannot be undone. Wait until it ends, or cancel it first.',
    message: 'This bulk operation has not ended yet.',
  },
})
