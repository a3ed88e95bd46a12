import { declareProblems } from '../../core/problem.ts'

export const eventProblems = declareProblems('event', {
  expired: {
    code: 'EVT-1001',
    status: 410,
    description:
      'The feed was asked for events whose documents are no longer kept. Read the lists anew and follow the feed from their Service-Sequence.',
    message: {
      'en-US': 'These changes are too old and no longer available. Please load the data again in full.',
      'fr-FR':
        'Ces modifications sont trop anciennes et ne sont plus disponibles. Veuillez recharger toutes les données.',
      'de-DE':
        'Diese Änderungen liegen zu weit zurück und sind nicht mehr verfügbar. Bitte laden Sie die Daten vollständig neu.',
      'es-ES':
        'Estos cambios son demasiado antiguos y ya no están disponibles. Vuelva a cargar todos los datos.',
    },
  },
  not_found: {
    code: 'EVT-1002',
    status: 404,
    description: 'No event of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The event {id} does not exist.',
      'fr-FR': 'L’événement {id} n’existe pas.',
      'de-DE': 'Das Ereignis {id} existiert nicht.',
      'es-ES': 'El evento {id} no existe.',
    },
  },
  too_large: {
    code: 'EVT-1003',
    status: 409,
    description:
      'What the subscription would be sent of the event is over two megabytes even with links in place of what it embeds. Deliveries of it fail with `too_large`; select less by `includeFields`.',
    message: {
      'en-US': 'This change is too large to be sent. Please choose fewer fields for the subscription.',
      'fr-FR':
        'Cette modification est trop volumineuse pour être envoyée. Veuillez choisir moins de champs pour l’abonnement.',
      'de-DE':
        'Diese Änderung ist zu groß, um gesendet zu werden. Bitte wählen Sie für das Abonnement weniger Felder aus.',
      'es-ES': 'Este cambio es demasiado grande para enviarse. Elija menos campos para la suscripción.',
    },
  },
})
