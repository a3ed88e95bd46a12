import { declareProblems } from '../problem.ts'

/** Errors in a request that are detected before its content is parsed. */
export const httpProblems = declareProblems('http', {
  not_found: {
    code: 'HTTP-1001',
    status: 404,
    description:
      'No operation has this path. Check the path against the documentation that the Link header names.',
    message: {
      'en-US': 'The page or record you are looking for does not exist.',
      'fr-FR': 'La page ou l’enregistrement que vous recherchez n’existe pas.',
      'de-DE': 'Die gesuchte Seite oder der gesuchte Datensatz existiert nicht.',
      'es-ES': 'La página o el registro que busca no existe.',
    },
  },
  method_not_allowed: {
    code: 'HTTP-1002',
    status: 405,
    description: 'The path exists, but not with this method. Use one of those in the Allow header.',
    message: {
      'en-US': 'This action ({method}) is not possible here.',
      'fr-FR': 'Cette action ({method}) n’est pas possible ici.',
      'de-DE': 'Diese Aktion ({method}) ist hier nicht möglich.',
      'es-ES': 'Esta acción ({method}) no es posible aquí.',
    },
  },
  not_acceptable: {
    code: 'HTTP-1003',
    status: 406,
    description:
      'The Accept header names no media type in which this resource is served. Accept application/ld+json or application/json.',
    message: {
      'en-US': 'The requested format is not available.',
      'fr-FR': 'Le format demandé n’est pas disponible.',
      'de-DE': 'Das angeforderte Format ist nicht verfügbar.',
      'es-ES': 'El formato solicitado no está disponible.',
    },
  },
  unsupported_media_type: {
    code: 'HTTP-1004',
    status: 415,
    description:
      'The body has a Content-Type that this operation does not read. POST takes application/ld+json or application/json, PATCH takes application/merge-patch+json.',
    message: {
      'en-US': 'Data in the format “{contentType}” cannot be processed here.',
      'fr-FR': 'Les données au format « {contentType} » ne peuvent pas être traitées ici.',
      'de-DE': 'Daten im Format „{contentType}“ können hier nicht verarbeitet werden.',
      'es-ES': 'Los datos en el formato «{contentType}» no se pueden procesar aquí.',
    },
  },
  malformed_json: {
    code: 'HTTP-1005',
    status: 400,
    description:
      'The body is not JSON (RFC 8259), or a number in it exceeds the range of a double. The message contains the line and column, the unexpected character, or the member.',
    message: {
      'en-US': 'The data sent could not be read ({reason}).',
      'fr-FR': 'Les données envoyées n’ont pas pu être lues ({reason}).',
      'de-DE': 'Die gesendeten Daten konnten nicht gelesen werden ({reason}).',
      'es-ES': 'No se han podido leer los datos enviados ({reason}).',
    },
  },
  not_utf8: {
    code: 'HTTP-1006',
    status: 400,
    description: 'The body is not valid UTF-8. Encode it as UTF-8 without a byte order mark.',
    message: {
      'en-US': 'The data sent could not be read because its text is not encoded as UTF-8.',
      'fr-FR': 'Les données envoyées n’ont pas pu être lues, car leur texte n’est pas encodé en UTF-8.',
      'de-DE': 'Die gesendeten Daten konnten nicht gelesen werden, weil ihr Text nicht in UTF-8 kodiert ist.',
      'es-ES': 'No se han podido leer los datos enviados porque su texto no está codificado en UTF-8.',
    },
  },
  body_too_large: {
    code: 'HTTP-1007',
    status: 413,
    description:
      'The body has more bytes than the service takes. Send less at once, for instance by splitting a bulk request.',
    message: {
      'en-US': 'Too much data was sent at once. Maximum size in bytes: {limit}.',
      'fr-FR': 'Trop de données ont été envoyées à la fois. Taille maximale en octets : {limit}.',
      'de-DE': 'Es wurden zu viele Daten auf einmal gesendet. Maximale Größe in Byte: {limit}.',
      'es-ES': 'Se han enviado demasiados datos a la vez. Tamaño máximo en bytes: {limit}.',
    },
  },
  body_too_deep: {
    code: 'HTTP-1008',
    status: 400,
    description:
      'The objects and arrays of the body are nested deeper than the service reads. Send a flatter document.',
    message: {
      'en-US': 'The data sent is nested too deeply. Maximum number of levels: {limit}.',
      'fr-FR':
        'Les données envoyées comportent trop de niveaux imbriqués. Nombre maximal de niveaux : {limit}.',
      'de-DE': 'Die gesendeten Daten sind zu tief verschachtelt. Höchstanzahl der Ebenen: {limit}.',
      'es-ES': 'Los datos enviados tienen demasiados niveles anidados. Número máximo de niveles: {limit}.',
    },
  },
  uri_too_long: {
    code: 'HTTP-1009',
    status: 414,
    description:
      'The query is longer than the service reads: 8,192 characters, percent-encoded, without the parameters that links add. Use fewer or shorter filters.',
    message: {
      'en-US': 'The address of this request is too long. Please use fewer filters.',
      'fr-FR': 'L’adresse de cette demande est trop longue. Veuillez utiliser moins de filtres.',
      'de-DE': 'Die Adresse dieser Anfrage ist zu lang. Bitte verwenden Sie weniger Filter.',
      'es-ES': 'La dirección de esta solicitud es demasiado larga. Utilice menos filtros.',
    },
  },
  malformed_header: {
    code: 'HTTP-1010',
    status: 400,
    description:
      'A request header does not have the form that its specification gives. Correct the header that the message names.',
    message: {
      'en-US': 'The request could not be understood: the header “{header}” is not valid.',
      'fr-FR': 'La demande n’a pas pu être comprise : l’en-tête « {header} » n’est pas valide.',
      'de-DE': 'Die Anfrage wurde nicht verstanden: Der Header „{header}“ ist ungültig.',
      'es-ES': 'No se ha podido interpretar la solicitud: el encabezado «{header}» no es válido.',
    },
  },
  tenant_not_found: {
    code: 'HTTP-1011',
    status: 404,
    description: 'No catalogue is served under this host. Check the host name of the request.',
    message: {
      'en-US': 'There is no catalog at the address {host}.',
      'fr-FR': 'Aucun catalogue n’existe à l’adresse {host}.',
      'de-DE': 'Unter der Adresse {host} gibt es keinen Katalog.',
      'es-ES': 'No hay ningún catálogo en la dirección {host}.',
    },
  },
  body_required: {
    code: 'HTTP-1012',
    status: 400,
    description: 'The operation needs a body, and the request has none. Send a JSON document.',
    message: {
      'en-US': 'No data was sent.',
      'fr-FR': 'Aucune donnée n’a été envoyée.',
      'de-DE': 'Es wurden keine Daten gesendet.',
      'es-ES': 'No se han enviado datos.',
    },
  },
  content_encoding: {
    code: 'HTTP-1013',
    status: 415,
    description:
      'The body is compressed or otherwise encoded, which the service does not read. Send it without Content-Encoding.',
    message: {
      'en-US': 'Compressed data cannot be processed here.',
      'fr-FR': 'Les données compressées ne peuvent pas être traitées ici.',
      'de-DE': 'Komprimierte Daten können hier nicht verarbeitet werden.',
      'es-ES': 'Los datos comprimidos no se pueden procesar aquí.',
    },
  },
  foreign_origin: {
    code: 'HTTP-1014',
    status: 403,
    description:
      'The Origin header names another site. Tools are called by programs, or by pages of this host; a page of another site is refused whatever token it holds.',
    message: {
      'en-US': 'This action is not possible from another website.',
      'fr-FR': 'Cette action n’est pas possible depuis un autre site.',
      'de-DE': 'Diese Aktion ist von einer anderen Website aus nicht möglich.',
      'es-ES': 'Esta acción no es posible desde otro sitio web.',
    },
  },
  answer_too_large: {
    code: 'HTTP-1015',
    status: 413,
    description:
      'The page that was asked for by its number is too large for one answer. Ask for smaller pages with itemsPerPage, for less of each member with properties[], or leave page out and follow view.next, which goes on wherever an answer has to end.',
    message: {
      'en-US':
        'This page is too large to be shown at once. Please show fewer entries on each page: {itemsPerPage}.',
      'fr-FR':
        'Cette page est trop volumineuse pour être affichée en une fois. Veuillez afficher moins d’éléments par page : {itemsPerPage}.',
      'de-DE':
        'Diese Seite ist zu groß, um auf einmal angezeigt zu werden. Bitte zeigen Sie weniger Einträge pro Seite an: {itemsPerPage}.',
      'es-ES':
        'Esta página es demasiado grande para mostrarse de una vez. Muestre menos elementos por página: {itemsPerPage}.',
    },
  },
  length_required: {
    code: 'HTTP-1016',
    status: 411,
    description:
      'A file is kept while it arrives, which takes its length beforehand (RFC 9110 §15.5.12). Send Content-Length, not a chunked body.',
    message: {
      'en-US': 'The size of the file was not announced, so it cannot be received.',
      'fr-FR': 'La taille du fichier n’a pas été annoncée ; il ne peut donc pas être reçu.',
      'de-DE': 'Die Größe der Datei wurde nicht angekündigt, daher kann sie nicht empfangen werden.',
      'es-ES': 'No se ha anunciado el tamaño del archivo, por lo que no se puede recibir.',
    },
  },
  batch_too_large: {
    code: 'HTTP-1020',
    status: 413,
    description:
      'What was asked for makes more data than can be written at once; nothing was changed. Send fewer rows in one request: a product first, for instance, and its variants in several.',
    message: {
      'en-US': 'This is too much to be saved at once. Maximum: {limit} bytes. Please send it in parts.',
      'fr-FR':
        'C’est trop pour un seul enregistrement. Maximum : {limit} octets. Veuillez l’envoyer en plusieurs fois.',
      'de-DE': 'Das ist zu viel auf einmal. Maximum: {limit} Byte. Bitte senden Sie es in mehreren Teilen.',
      'es-ES': 'Es demasiado para guardarlo de una vez. Máximo: {limit} bytes. Envíelo por partes.',
    },
  },
})

/** Rate limit errors. */
export const rateLimitProblems = declareProblems('rate_limit', {
  exceeded: {
    code: 'RATE-1001',
    status: 429,
    description:
      'The client has used up the requests of the current window, which RateLimit-Policy describes. Wait for the time in Retry-After.',
    message: {
      'en-US': 'Too many requests. Please try again in {seconds} s.',
      'fr-FR': 'Trop de demandes. Veuillez réessayer dans {seconds} s.',
      'de-DE': 'Zu viele Anfragen. Bitte versuchen Sie es in {seconds} s noch einmal.',
      'es-ES': 'Demasiadas solicitudes. Inténtelo de nuevo dentro de {seconds} s.',
    },
  },
})
