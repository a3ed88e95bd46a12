import { declareProblems } from '../problem.ts'

/** What can happen when several writers change the same resource. */
export const concurrencyProblems = declareProblems('concurrency', {
  version_mismatch: {
    code: 'CON-1001',
    status: 412,
    description:
      'If-Match names another version than the stored one, which currentVersion gives. Read the resource again, apply the change to it and send the new ETag.',
    message: {
      'en-US':
        'This record has been changed in the meantime (current version: {currentVersion}). Please reload it and try again.',
      'fr-FR':
        'Cet enregistrement a été modifié entre-temps (version actuelle : {currentVersion}). Veuillez le recharger et réessayer.',
      'de-DE':
        'Dieser Datensatz wurde inzwischen geändert (aktuelle Version: {currentVersion}). Bitte laden Sie ihn neu und versuchen Sie es noch einmal.',
      'es-ES':
        'Este registro se ha modificado entretanto (versión actual: {currentVersion}). Vuelva a cargarlo e inténtelo de nuevo.',
    },
  },
  busy: {
    code: 'CON-1002',
    status: 409,
    description:
      'Other writers changed the same resources at each of several attempts, so nothing was written. Send the request again.',
    message: {
      'en-US': 'This record is being changed by others right now. Please try again.',
      'fr-FR': 'Cet enregistrement est en cours de modification par d’autres personnes. Veuillez réessayer.',
      'de-DE': 'Dieser Datensatz wird gerade von anderen geändert. Bitte versuchen Sie es noch einmal.',
      'es-ES': 'Otras personas están modificando este registro. Inténtelo de nuevo.',
    },
  },
})
