/** The most common words of some languages, folded. They identify the language, but not the topic of a text. */
const BY_LANGUAGE: Record<string, string> = {
  en: 'the of and to in is you that it he was for on are as with his they at be this have from or had by not but what all were we when your can said there an each which she do how their if will up other about out many then them these so some her would make like him into has look two more go see no way could than been who its now did get may our us am i me my please thanks thank hello hi dear regards also any just very',
  de: 'der die das und ist nicht ein eine einen einem einer zu in den mit von auf fur im dem es sich auch als an nach wie bei oder aber aus wenn nur noch wir sie ich du er ihr mein sein haben hat hatte wird werden war sind uber zum zur so dass bis durch kann konnen mehr sehr hier uns unser bitte danke hallo liebe grusse guten tag was',
  fr: 'le la les de des du un une et est en que qui dans pour pas sur au aux avec ce cette ces il elle nous vous ils je tu ne se sa son ses par plus ou mais comme tout etre avoir fait sont ont etait si leur leurs notre votre bien merci bonjour cordialement y a d l s n j c qu',
  es: 'el la los las de del un una y es en que no a por con para su sus se lo como mas pero al le ya o este esta si porque cuando muy sin sobre ser tiene tambien me hasta hay donde quien desde todo nos durante uno les ni contra ese eso ante ellos e esto gracias hola saludos',
  pt: 'o a os as de do da dos das um uma e e em que nao por com para seu sua se no na nos nas como mais mas ao ele ela ou ser quando muito ha ja esta eu tambem so pelo pela ate isso entre era depois sem mesmo aos ter seus quem nas me esse eles estao voce tinha foram essa obrigado ola',
  it: 'il lo la i gli le di del della dei e un una che non in per con su da al alla sono come piu ma si anche o se ci questo questa ha hanno era essere nel nella dal dalla io tu lui lei noi voi loro mio suo grazie ciao buongiorno saluti',
  nl: 'de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar bij of uit nog naar door wij ik je ze hij was heeft hebben wordt worden deze dit die kan al meer over zo wat bedankt hallo groeten',
};

const SETS = new Map(Object.entries(BY_LANGUAGE).map(([language, words]) => [language, new Set(words.split(' '))]));

/** Words that do not describe a text. */
export const STOP_WORDS: ReadonlySet<string> = new Set([...SETS.values()].flatMap((words) => [...words]));

/** The language whose common words occur most in a text, by its BCP 47 tag; null if too few occur. */
export function languageOf(words: readonly string[]): string | null {
  let best: string | null = null;
  let most = 1;
  for (const [language, common] of SETS) {
    const found = words.reduce((sum, word) => (common.has(word) ? sum + 1 : sum), 0);
    if (found > most) [best, most] = [language, found];
  }
  return best;
}
