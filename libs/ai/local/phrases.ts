import { cut } from '#libs/kernel/cut.js';
import { languageOf } from './stop-words.js';
import { wordsOf } from './words.js';

/** Standard sentences of letters, in one language. `{...}` is filled from the records. */
export interface Phrases {
  greeting: string;
  greetingUnknown: string;
  thanks: string;
  youWrote: string;
  answer: string;
  unanswered: string;
  closing: string;
  reminderSubject: string;
  reminder: { friendly: string; firm: string; final: string };
  dueLate: string;
  dueLater: string;
  crossed: string;
}

const ENGLISH: Phrases = {
  greeting: 'Hello {name},',
  greetingUnknown: 'Hello,',
  thanks: 'Thank you for your message.',
  youWrote: 'You wrote:',
  answer: 'On this we can say:',
  unanswered: 'We have no answer to this at hand; a colleague will look into it:',
  closing: 'Kind regards',
  reminderSubject: 'Reminder: invoice {number}',
  reminder: {
    friendly: 'perhaps it has slipped your attention: of invoice {number} of {issued}, {open} are still open.',
    firm: 'we have not received full payment of invoice {number} of {issued}. {open} are open.',
    final: 'this is our last reminder of invoice {number} of {issued}. {open} are still open.',
  },
  dueLate: 'It was due on {due}, {days} days ago. Please pay the open amount now.',
  dueLater: 'It is due on {due}.',
  crossed: 'If your payment has crossed this letter, please disregard it.',
};

const PHRASES: Record<string, Phrases> = {
  en: ENGLISH,
  de: {
    greeting: 'Guten Tag {name},',
    greetingUnknown: 'Guten Tag,',
    thanks: 'vielen Dank für Ihre Nachricht.',
    youWrote: 'Sie schrieben:',
    answer: 'Dazu können wir sagen:',
    unanswered: 'Hierzu liegt uns keine Antwort vor; jemand kümmert sich darum:',
    closing: 'Freundliche Grüße',
    reminderSubject: 'Erinnerung: Rechnung {number}',
    reminder: {
      friendly: 'vielleicht ist es Ihnen entgangen: Von der Rechnung {number} vom {issued} sind noch {open} offen.',
      firm: 'die Rechnung {number} vom {issued} ist nicht vollständig bezahlt. Offen sind {open}.',
      final: 'dies ist unsere letzte Erinnerung an die Rechnung {number} vom {issued}. Offen sind noch {open}.',
    },
    dueLate: 'Sie war am {due} fällig, vor {days} Tagen. Bitte zahlen Sie den offenen Betrag jetzt.',
    dueLater: 'Sie ist am {due} fällig.',
    crossed: 'Falls sich Ihre Zahlung mit diesem Schreiben überschnitten hat, betrachten Sie es als gegenstandslos.',
  },
  fr: {
    greeting: 'Bonjour {name},',
    greetingUnknown: 'Bonjour,',
    thanks: 'Merci de votre message.',
    youWrote: 'Vous écriviez :',
    answer: 'Voici ce que nous pouvons en dire :',
    unanswered: 'Nous n’avons pas de réponse à ce point ; un collègue va s’en occuper :',
    closing: 'Cordialement',
    reminderSubject: 'Rappel : facture {number}',
    reminder: {
      friendly: 'sauf erreur de notre part, {open} restent dus sur la facture {number} du {issued}.',
      firm: 'nous n’avons pas reçu le paiement complet de la facture {number} du {issued}. Il reste {open} à payer.',
      final: 'ceci est notre dernier rappel de la facture {number} du {issued}. Il reste {open} à payer.',
    },
    dueLate: 'Elle était due le {due}, il y a {days} jours. Merci de régler le montant restant dès maintenant.',
    dueLater: 'Elle est due le {due}.',
    crossed: 'Si votre paiement a croisé ce courrier, merci de ne pas en tenir compte.',
  },
  es: {
    greeting: 'Hola, {name}:',
    greetingUnknown: 'Hola:',
    thanks: 'Gracias por su mensaje.',
    youWrote: 'Usted escribió:',
    answer: 'Sobre esto podemos decir:',
    unanswered: 'No tenemos respuesta a esto; un compañero lo revisará:',
    closing: 'Un cordial saludo',
    reminderSubject: 'Recordatorio: factura {number}',
    reminder: {
      friendly: 'quizá se le haya pasado: de la factura {number} del {issued} quedan {open} pendientes.',
      firm: 'no hemos recibido el pago completo de la factura {number} del {issued}. Quedan {open} pendientes.',
      final: 'este es nuestro último recordatorio de la factura {number} del {issued}. Quedan {open} pendientes.',
    },
    dueLate: 'Vencía el {due}, hace {days} días. Le rogamos que pague ahora el importe pendiente.',
    dueLater: 'Vence el {due}.',
    crossed: 'Si su pago se ha cruzado con esta carta, no la tenga en cuenta.',
  },
  pt: {
    greeting: 'Olá, {name},',
    greetingUnknown: 'Olá,',
    thanks: 'Obrigado pela sua mensagem.',
    youWrote: 'Escreveu:',
    answer: 'Sobre isto podemos dizer:',
    unanswered: 'Não temos resposta para isto; um colega vai verificar:',
    closing: 'Com os melhores cumprimentos',
    reminderSubject: 'Lembrete: fatura {number}',
    reminder: {
      friendly: 'talvez lhe tenha escapado: da fatura {number} de {issued} faltam {open}.',
      firm: 'não recebemos o pagamento completo da fatura {number} de {issued}. Faltam {open}.',
      final: 'este é o nosso último lembrete da fatura {number} de {issued}. Faltam {open}.',
    },
    dueLate: 'Venceu em {due}, há {days} dias. Pedimos que pague agora o valor em falta.',
    dueLater: 'Vence em {due}.',
    crossed: 'Se o seu pagamento se cruzou com esta carta, por favor ignore-a.',
  },
};

/** The phrases of a language: the requested one, else that of the material, else English. */
export function phrasesOf(language: string | undefined, material: string): Phrases {
  const wanted = language?.toLowerCase().split('-')[0] ?? languageOf(wordsOf(cut(material, 5_000))) ?? 'en';
  return PHRASES[wanted] ?? ENGLISH;
}

/** A phrase with its values. */
export function say(phrase: string, values: Record<string, string>): string {
  return phrase.replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
}
