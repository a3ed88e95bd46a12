import { declareProblems } from '../problem.ts'

/** What can be wrong with an Idempotency-Key. */
export const idempotencyProblems = declareProblems('idempotency', {
  malformed_key: {
    code: 'IDEM-1001',
    status: 400,
    description:
      'Idempotency-Key is empty, too long, or has characters outside visible ASCII. Send a fresh UUID per operation.',
    message: {
      'en-US': 'The request could not be accepted because its identifier is not valid.',
      'fr-FR': 'La demande n’a pas pu être acceptée, car son identifiant n’est pas valide.',
      'de-DE': 'Die Anfrage konnte nicht angenommen werden, weil ihre Kennung ungültig ist.',
      'es-ES': 'No se ha podido aceptar la solicitud porque su identificador no es válido.',
    },
  },
  key_reused: {
    code: 'IDEM-1002',
    status: 422,
    description:
      'The Idempotency-Key was used within the last 24 hours for another request. Send a new key for a new operation, or the same request for a retry.',
    message: {
      'en-US': 'This request differs from an earlier one that has the same identifier. Please start again.',
      'fr-FR':
        'Cette demande diffère d’une demande antérieure portant le même identifiant. Veuillez recommencer.',
      'de-DE':
        'Diese Anfrage weicht von einer früheren mit derselben Kennung ab. Bitte beginnen Sie noch einmal.',
      'es-ES': 'Esta solicitud difiere de otra anterior con el mismo identificador. Empiece de nuevo.',
    },
  },
  in_flight: {
    code: 'IDEM-1003',
    status: 409,
    description:
      'The first request with this Idempotency-Key is still being worked on. Wait a moment, then send the same request again to get its answer.',
    message: {
      'en-US': 'This request is already being processed. Please wait a moment.',
      'fr-FR': 'Cette demande est déjà en cours de traitement. Veuillez patienter un instant.',
      'de-DE': 'Diese Anfrage wird bereits bearbeitet. Bitte warten Sie einen Moment.',
      'es-ES': 'Esta solicitud ya se está procesando. Espere un momento.',
    },
  },
})
