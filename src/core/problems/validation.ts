import { declareProblems, type Message } from '../problem.ts'

/**
 * Errors of single values in a body or a query. `{hint}` is empty or a language-neutral suggestion with its leading
 * space, such as ` (→ title)`.
 */
export const validationProblems = declareProblems('validation', {
  failed: {
    code: 'VAL-1001',
    status: 422,
    description:
      'One or more values of the request break a rule; each is listed in violations with its propertyPath. Correct all of them and send the request again.',
    message: 'Some entries need to be corrected ({count}).',
  },
  required: {
    code: 'VAL-1002',
    status: 422,
    description:
      'A required value is missing, or null was sent for it. Send a value; a merge patch cannot clear a required property.',
    message: 'This information is required.',
  },
  blank: {
    code: 'VAL-1003',
    status: 422,
    description:
      'The text is empty or consists of white space alone. Send a text with at least one visible character.',
    message: 'This field cannot be left blank.',
  },
  type: {
    code: 'VAL-1004',
    status: 422,
    description:
      'The value has another JSON type than the property takes. Send a value of the expected type.',
    message: 'This value is of the wrong kind. Expected: {expected}.',
  },
  too_short: {
    code: 'VAL-1005',
    status: 422,
    description: 'The text has fewer characters than the property needs. Send a longer text.',
    message: 'This text is too short. Minimum number of characters: {minimum}.',
  },
  too_long: {
    code: 'VAL-1006',
    status: 422,
    description:
      'The text has more characters than the property takes; nothing is cut silently. Send a shorter text.',
    message: 'This text is too long. Maximum number of characters: {maximum}.',
  },
  too_small: {
    code: 'VAL-1007',
    status: 422,
    description:
      'The number is below the smallest that the property or parameter takes. Send a number at or above the minimum.',
    message: 'This number is too small. Please enter {minimum} or more.',
  },
  too_big: {
    code: 'VAL-1008',
    status: 422,
    description:
      'The number is above the largest that the property or parameter takes. Send a number at or below the maximum.',
    message: 'This number is too large. Please enter {maximum} or less.',
  },
  not_integer: {
    code: 'VAL-1009',
    status: 422,
    description:
      'The number has a fraction, or the text is not a whole number in plain digits. Send an integer.',
    message: 'Please enter a whole number.',
  },
  number: {
    code: 'VAL-1010',
    status: 422,
    description:
      'The value is not a finite decimal number, or it is too large to be stored exactly. Send a plain decimal number.',
    message: 'Please enter a valid number.',
  },
  pattern: {
    code: 'VAL-1011',
    status: 422,
    description:
      'The text does not have the form that the property or parameter needs. Send it in the format that the message names.',
    message: 'This value does not have the right format. Expected format: {format}.',
  },
  choice: {
    code: 'VAL-1012',
    status: 422,
    description:
      'The value is not one of those that the property or parameter takes. Send one of the listed choices, in the same spelling.',
    message: 'Please choose one of these values: {choices}.',
  },
  too_many_items: {
    code: 'VAL-1013',
    status: 422,
    description:
      'The list has more entries than the property or the bulk operation takes. Send fewer, or split the request.',
    message: 'There are too many entries. Maximum: {maximum}.',
  },
  too_few_items: {
    code: 'VAL-1014',
    status: 422,
    description: 'The list has fewer entries than the property needs. Send more.',
    message: 'There are too few entries. Minimum: {minimum}.',
  },
  duplicate_item: {
    code: 'VAL-1015',
    status: 422,
    description:
      'The list names the same entry twice; propertyPath points at the later one. Send each entry once.',
    message: 'This entry appears more than once.',
  },
  invalid_iri: {
    code: 'VAL-1016',
    status: 422,
    description:
      'The value is not the IRI of a resource of the type that this relation accepts. Send the @id of such a resource, with its id in lower case with dashes: relative, or absolute on the host of the request.',
    message: 'This is not a valid reference to another record. Expected: {expected}.',
  },
  unknown_reference: {
    code: 'VAL-1017',
    status: 422,
    description:
      'The IRI is well formed, but no such resource exists in this catalogue. Create it first or correct the IRI.',
    message: 'The record referred to does not exist: {iri}.',
  },
  unknown_property: {
    code: 'VAL-1018',
    status: 422,
    description:
      'The body has a member that this operation does not write. It is a frequent mistake, or Prefer: handling=strict was sent. Remove or rename it; Prefer: handling=lenient ignores it.',
    message: 'The property “{name}” is not recognized here{hint}.',
  },
  unknown_parameter: {
    code: 'VAL-1019',
    status: 422,
    description:
      'The query has a parameter that this operation does not read. It is similar to another, a frequent mistake, or Prefer: handling=strict was sent. Remove or rename it; Prefer: handling=lenient ignores it.',
    message: 'The parameter “{name}” is not recognized here{hint}.',
  },
  parameter_repeated: {
    code: 'VAL-1020',
    status: 422,
    description: 'A query parameter that takes one value was given several times. Send it once.',
    message: 'The parameter “{name}” may be given only once.',
  },
  page: {
    code: 'VAL-1021',
    status: 422,
    description:
      'The query has both a cursor and an updatedAt filter. Such a list continues after the last change that the client received. Remove cursor and follow view.next.',
    message: 'This list cannot be continued from that place. Please use the link to the next page.',
  },
  expand: {
    code: 'VAL-1022',
    status: 422,
    description:
      'The path in expand is not a relation that can be expanded here, or it is deeper than three levels. Use one of those that the message lists; several are separated by commas.',
    message: '“{path}” cannot be expanded. Possible values: {choices}.',
  },
  cursor_order: {
    code: 'VAL-1082',
    status: 422,
    description:
      'The cursor belongs to an order by title of another locale, or the database has a new version of the language’s order. Begin again at the first page, without cursor.',
    message: 'This list is ordered differently by now. Please begin again at its first page.',
  },
  identity_mismatch: {
    code: 'VAL-1023',
    status: 422,
    description:
      'The body carries an @id, @type or id that contradicts the resource being written, or another externalId than the path. Leave it out or send the value of this resource.',
    message: '“{name}” does not match the record you are editing.',
  },
  immutable: {
    code: 'VAL-1024',
    status: 422,
    description:
      'The property is set when the resource is created and cannot change afterwards. Leave it out, or create a new resource.',
    message: '“{name}” cannot be changed after creation.',
  },
  amount: {
    code: 'VAL-1025',
    status: 422,
    description:
      'The amount is not a decimal number, is negative or too large, or has more decimals than ISO 4217 gives its currency. Send a decimal string such as "19.90".',
    message: 'Please enter a valid amount in {currency}, not below zero. Decimal places allowed: {decimals}.',
  },
  currency: {
    code: 'VAL-1026',
    status: 422,
    description: 'The value is not an ISO 4217 alphabetic currency code. Send one such as EUR or JPY.',
    message: 'Please enter a valid three-letter currency code, such as EUR.',
  },
  country: {
    code: 'VAL-1027',
    status: 422,
    description: 'The value is not an ISO 3166-1 alpha-2 country code. Send one such as FR or DE.',
    message: 'Please enter a valid two-letter country code, such as FR.',
  },
  instant: {
    code: 'VAL-1028',
    status: 422,
    description:
      'The value is not a date, or an ISO 8601 date and time, with Z, a numeric offset, or no zone for UTC. Send one such as 2026-10-01T12:00:00Z.',
    message: 'Please enter a valid date and time, such as 2026-10-01T12:00:00Z.',
  },
  gtin: {
    code: 'VAL-1029',
    status: 422,
    description:
      'The barcode has 8, 12, 13 or 14 digits, but its last digit is not the GTIN check digit of the others. Correct the barcode.',
    message: 'This barcode is not valid: its check digit is wrong. Please check the digits.',
  },
  url: {
    code: 'VAL-1030',
    status: 422,
    description:
      'The value is not an absolute http or https URL. Send one such as https://www.example.com/image.jpg.',
    message: 'Please enter a complete web address, beginning with https://.',
  },
  too_deep: {
    code: 'VAL-1031',
    status: 422,
    description:
      'The value or the path is nested deeper than the property or parameter takes. Send a flatter one.',
    message: 'This value is nested too deeply. Maximum number of levels: {maximum}.',
  },
  characters: {
    code: 'VAL-1032',
    status: 422,
    description: 'The text has characters that cannot be stored: U+0000 or a lone surrogate. Remove them.',
    message: 'This text contains characters that cannot be saved. Please remove them.',
  },
  field_value: {
    code: 'VAL-1033',
    status: 422,
    description:
      'The value of a custom field does not fit its type. Send a value as the metafield definition type that its type names describes it.',
    message: 'The content of the field “{key}” does not fit its type {type}.',
  },
  malformed_amount: {
    code: 'VAL-1034',
    status: 422,
    description:
      'The amount is one in no currency: it is not a decimal number, is negative or too large, or has more decimals than ISO 4217 gives any currency. Send a decimal string such as "19.90", and a valid currency, whose own decimals are checked with it.',
    message:
      'Please enter a valid amount, not below zero. Decimal places allowed, depending on the currency: up to {decimals}.',
  },
  document_too_large: {
    code: 'VAL-1040',
    status: 422,
    description:
      'The resource exceeds the size limit of one language, or of all languages together. Texts, media and custom fields count in bytes of UTF-8. Shorten them.',
    message: 'This is too large to be saved: {bytes} bytes. Maximum: {maximum}.',
  },
  handle: {
    code: 'VAL-1081',
    status: 422,
    description:
      'A handle is part of addresses: words of a–z and 0–9, joined by single hyphens. Send one in this form, or none to derive it from the title.',
    message:
      'Please use only lowercase letters, digits and single hyphens between them, such as summer-sale-2026.',
  },
  too_many_decimals: {
    code: 'VAL-1083',
    status: 422,
    description:
      'The number has more decimal places than the property takes; nothing is rounded silently. Send fewer.',
    message: 'This number has too many decimal places. Maximum: {maximum}.',
  },
  unknown_argument: {
    code: 'VAL-1080',
    status: 422,
    description:
      'The tool has no argument of this name. Remove or rename it; the inputSchema of the tool names those that it takes.',
    message: 'The argument “{name}” is not recognized here{hint}.',
  },
  one_argument: {
    code: 'VAL-1084',
    status: 422,
    description:
      'The request has several of these parameters, or a call of a tool has none of these arguments. Send exactly one of those that the message lists, and omit the others.',
    message: 'Please specify exactly one of these: {names}.',
  },
})

/** Forms of texts in words, the values of `validation.pattern`. */
export const formats = {
  identifier: {
    slug: 'format.identifier',
    message: '1 to 255 characters out of A–Z, a–z, digits, underscores, dots, colons and hyphens',
  },
  key: {
    slug: 'format.key',
    message: '1 to 64 characters: a lowercase letter, then lowercase letters, digits and underscores',
  },
  customKey: {
    slug: 'format.custom_key',
    message:
      '1 to 64 characters: a lowercase letter, then lowercase letters, digits, underscores and single dots',
  },
  marketKey: {
    slug: 'format.market_key',
    message:
      '1 to 64 characters: a lowercase letter, then lowercase letters, digits, underscores and hyphens',
  },
  word: { slug: 'format.word', message: 'one word: letters or digits without blanks' },
  locale: { slug: 'format.locale', message: 'a language and a region, such as en-US' },
  cursor: { slug: 'format.cursor', message: 'the link to the next or the previous page' },
  id: {
    slug: 'format.id',
    message: '32 lowercase hexadecimal digits with hyphens, such as 019aa000-0000-7000-8000-000000000001',
  },
  encoding: { slug: 'format.encoding', message: 'text in UTF-8 with percent-encoding' },
  rule: { slug: 'format.rule', message: 'a value that this rule of the field can have' },
  documented: { slug: 'format.documented', message: 'the form that the documentation gives' },
} as const satisfies Record<string, Message>

/** Errors of the locale that a request reads or writes. */
export const localeProblems = declareProblems('locale', {
  malformed: {
    code: 'LOC-1001',
    status: 400,
    description: 'Service-Locale does not have the form language-REGION. Send one such as fr-FR.',
    message: '“{locale}” is not a valid language setting. Please use a form such as en-US.',
  },
  not_declared: {
    code: 'LOC-1002',
    status: 422,
    description:
      'The write is in a locale that the tenant has not declared. Send Service-Locale with one of the declared locales.',
    message: 'Content cannot be saved in the language {locale}. Available languages: {locales}.',
  },
})

/** Errors of the requested API version. */
export const versionProblems = declareProblems('version', {
  unknown: {
    code: 'VER-1001',
    status: 400,
    description:
      'Service-Api-Version names no version of this API. Send one of supportedVersions, or none for the default of the tenant.',
    message: 'The version “{version}” does not exist.',
  },
  retired: {
    code: 'VER-1002',
    status: 410,
    description:
      'Service-Api-Version names a version whose sunset has passed. Move to a version listed at /api/versions.',
    message: 'The version {version} has not been available since {sunset}. Please update your application.',
  },
  renamed_property: {
    code: 'VER-1003',
    status: 422,
    description:
      'The body uses a name that the property has in another API version. Send the name of the version in use, or ask for the other version.',
    message: 'In version {version}, the property “{name}” is called “{rightName}”.',
  },
  operation_unavailable: {
    code: 'VER-1004',
    status: 404,
    description:
      'The operation exists, but not in the API version of this request. Ask for one of those that availableIn names.',
    message: 'This function is not available in version {version}, only in {availableIn}.',
  },
})
