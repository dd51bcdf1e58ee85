import { HOUR_MS } from '#libs/kernel/durations.js';
import type { SampleMove, SampleStory } from '#libs/resource/sample/sample-story.js';
import { DEFAULT_STAGES } from './jobs/job.stages.js';

/** A job: title, department, days since it was opened, openings, people hired. */
const JOBS = [
  ['Backend engineer', 'delivery', 95, 2, 1],
  ['Account executive', 'sales', 60, 1, 0],
  ['Working student, finance', 'finance', 30, 1, 0],
] as const;

/** A candidate: names, job (index), source, days since the application, stages passed, end. */
type Applicant = readonly [string, string, number, string, number, number, ('hired' | 'rejected' | 'withdrawn')?];

const CANDIDATES: readonly Applicant[] = [
  ['Maren', 'Holt', 0, 'referral', 90, 3, 'hired'],
  ['Idris', 'Bello', 0, 'careers_page', 70, 3],
  ['Tessa', 'Vogel', 0, 'job_board', 52, 2],
  ['Hugo', 'Lemaire', 0, 'sourced', 40, 2],
  ['Zofia', 'Krol', 0, 'careers_page', 22, 1],
  ['Aaron', 'Pike', 0, 'agency', 64, 1, 'rejected'],
  ['Bianca', 'Sorel', 1, 'referral', 48, 3],
  ['Nils', 'Ekberg', 1, 'careers_page', 33, 2],
  ['Yara', 'Saleh', 1, 'event', 19, 1],
  ['Cem', 'Aydin', 1, 'job_board', 44, 1, 'withdrawn'],
  ['Olga', 'Marin', 1, 'careers_page', 6, 0],
  ['Theo', 'Braun', 2, 'careers_page', 14, 1],
  ['Lina', 'Svensson', 2, 'job_board', 4, 0],
];
const SKILLS = [['TypeScript', 'PostgreSQL'], ['Negotiation', 'CRM'], ['Excel', 'Bookkeeping']] as const; // prettier-ignore
const STAGES = DEFAULT_STAGES.map(({ key }) => key);

/** Jobs, candidates with an application each, interviews, and offers. */
export function talentSample(story: SampleStory): void {
  JOBS.forEach(([name, department, daysAgo, openings, filledCount], index) => {
    const [createdAt, openedAt] = [story.at(daysAgo + 4), story.at(daysAgo)];
    story.record(
      {
        ...{ key: `job ${index}`, table: 'data.talent_jobs', name, createdAt },
        ...{ reference: `JOB-00000${index + 1}`, version: 2, updatedAt: openedAt },
      },
      {
        ...{ status: 'open', departmentId: story.id(`department ${department}`), hiringManagerId: story.memberId },
        ...{ recruiterIds: [], openings, filledCount, employmentType: index === 2 ? 'part_time' : 'full_time' },
        location: { country: 'DE', region: null, city: 'Berlin', remote: true },
        ...{ salaryRange: null, description: null, isPublic: true, publishedAt: openedAt, stages: DEFAULT_STAGES },
      },
    );
    story.moves('talent.job', `job ${index}`, createdAt, [{ action: 'open', from: 'draft', to: 'open', at: openedAt }]);
  });
  CANDIDATES.forEach((each, index) => candidate(story, each, index));
}

function candidate(story: SampleStory, each: Applicant, index: number): void {
  const [firstName, lastName, job, source, daysAgo, passed, end = null] = each;
  const [jobName, department] = JOBS[job]!;
  const appliedAt = story.at(daysAgo, 9);
  const step = Math.floor(daysAgo / (passed + 2));
  const moves: SampleMove[] = Array.from({ length: passed }, (_, at) => ({
    ...{ action: 'move', from: 'active', to: 'active', at: story.at(daysAgo - step * (at + 1), 13) },
    ...{ fromStage: STAGES[at]!, toStage: STAGES[at + 1]! },
  }));
  const endedAt = end === null ? null : story.at(daysAgo - step * (passed + 1), 16);
  if (end !== null && endedAt !== null)
    moves.push({
      ...{ action: { hired: 'hire', rejected: 'reject', withdrawn: 'withdraw' }[end], from: 'active', to: end },
      ...{ at: endedAt, fromStage: STAGES[passed]!, toStage: end },
    });
  const stageEnteredAt = moves.at(-1)?.at ?? appliedAt;
  const isHired = end === 'hired';
  const standing = {
    ...{
      jobId: story.id(`job ${job}`),
      status: end ?? 'active',
      stage: end ?? STAGES[passed],
      stageEnteredAt,
      appliedAt,
    },
    rejectReason: end === 'rejected' ? 'Other candidates have more experience.' : null,
    ...{ hiredAt: isHired ? endedAt : null, startDate: isHired ? story.day(-20) : null },
    ...{ jobTitle: isHired ? jobName : null, departmentId: isHired ? story.id(`department ${department}`) : null },
    ...{ managerId: null, ratingHundredths: passed >= 3 && story.memberId !== null ? ratingOf(index) : null },
  };
  const [key, application] = [`candidate ${index}`, `application ${index}`];
  const stamps = { createdAt: appliedAt, updatedAt: stageEnteredAt, version: 1 + moves.length };
  const number = String(index + 1).padStart(6, '0');
  story.record(
    {
      ...{ key, table: 'data.talent_candidates', name: `${firstName} ${lastName}` },
      ...{ reference: `CAND-${number}`, ...stamps },
    },
    {
      ...{
        firstName,
        lastName,
        email: `${firstName}.${lastName}@applicants.example`.toLowerCase(),
        emails: [],
        phones: [],
      },
      ...{ links: [], headline: null, currentCompany: null, currentTitle: null, skills: SKILLS[job], source },
      location: { country: 'DE', region: null, city: 'Berlin', remote: null },
      ...{ isPrivate: false, applicationId: story.id(application), ...standing },
    },
  );
  story.record(
    {
      ...{ key: application, table: 'data.talent_applications', name: jobName },
      ...{ reference: `APP-${number}`, ...stamps },
    },
    {
      ...{ candidateId: story.id(key), ...standing, stageBefore: end === null ? null : STAGES[passed] },
      ...{ lastActivityAt: stageEnteredAt, notifyAt: null, source },
    },
  );
  story.moves('talent.application', application, appliedAt, moves);
  story.moves('talent.candidate', key, appliedAt, moves);
  if (passed >= 2) interview(story, each, index);
  if (passed >= 3) offer(story, each, index, stageEnteredAt);
}

/** Interviews of candidates who have not passed that stage yet are in the next days. */
function interview(story: SampleStory, [, , , , daysAgo, passed]: Applicant, index: number): void {
  const isOver = passed >= 3;
  const day = isOver ? Math.max(2, Math.floor(daysAgo / 2)) : -(2 + (index % 5));
  const startAt = story.at(day, 11);
  const createdAt = story.at(isOver ? day + 6 : 2, 12);
  const key = `interview ${index}`;
  story.record(
    {
      ...{ key, table: 'data.talent_interviews', name: 'Video interview', createdAt },
      ...{ reference: `INT-${String(index + 1).padStart(6, '0')}`, version: isOver ? 2 : 1 },
      updatedAt: isOver ? story.at(day, 13) : createdAt,
    },
    {
      ...{ status: isOver ? 'completed' : 'scheduled', applicationId: story.id(`application ${index}`), kind: 'video' },
      ...{ startAt, endAt: new Date(Date.parse(startAt) + HOUR_MS).toISOString(), location: null, feedbackDueAt: null },
      interviewerIds: story.memberId === null ? [] : [story.memberId],
    },
  );
  if (!isOver) return;
  story.moves('talent.interview', key, createdAt, [
    { action: 'complete', from: 'scheduled', to: 'completed', at: story.at(day, 13) },
  ]);
  if (story.memberId !== null) scorecard(story, story.memberId, index, story.at(day, 16));
}

function scorecard(story: SampleStory, interviewerId: string, index: number, submittedAt: string): void {
  const key = `scorecard ${index}`;
  story.record(
    {
      ...{ key, table: 'data.talent_scorecards', name: 'Scorecard', createdAt: submittedAt, version: 2 },
      reference: `CARD-${String(index + 1).padStart(6, '0')}`,
    },
    {
      ...{ status: 'submitted', applicationId: story.id(`application ${index}`), interviewerId, submittedAt },
      ...{ interviewId: story.id(`interview ${index}`), recommendation: index === 0 ? 'strong_yes' : 'yes' },
      ratings: scoresOf(index).map(([criterion, score]) => ({ criterion, score, note: null })),
      ...{ summary: 'Clear answers, good questions about the team.', scoreHundredths: ratingOf(index) },
    },
  );
  story.moves('talent.scorecard', key, submittedAt, [
    { action: 'submit', from: 'draft', to: 'submitted', at: submittedAt },
  ]);
}

function scoresOf(index: number): [criterion: string, score: number][] {
  return [
    ['Craft', index === 0 ? 5 : 4],
    ['Communication', 4],
    ['Motivation', 3 + (index % 3)],
  ];
}

/** Mean of the scores, in hundredths. */
function ratingOf(index: number): number {
  const scores = scoresOf(index).map(([, score]) => score);
  return Math.round((scores.reduce((sum, each) => sum + each, 0) * 100) / scores.length);
}

function offer(story: SampleStory, [, , job, , , , end]: Applicant, index: number, sentAt: string): void {
  const [jobTitle] = JOBS[job]!;
  const isAccepted = end === 'hired';
  const createdAt = sentAt;
  const acceptedAt = isAccepted ? sentAt : null;
  const key = `offer ${index}`;
  story.record(
    {
      ...{ key, table: 'data.talent_offers', name: jobTitle, createdAt },
      ...{ reference: `OFF-${String(index + 1).padStart(6, '0')}`, version: isAccepted ? 5 : 4 },
    },
    {
      ...{ status: isAccepted ? 'accepted' : 'sent', applicationId: story.id(`application ${index}`), jobTitle },
      ...{ employmentType: 'full_time', startDate: story.day(isAccepted ? -20 : -45) },
      ...{ payAmountMinor: story.minor(71_000), payCurrency: story.currency, payPeriod: 'year' },
      ...{ expiresAt: isAccepted ? null : story.at(-14, 18), sentAt, acceptedAt },
    },
  );
  story.moves('talent.offer', key, createdAt, [
    { action: 'submit', from: 'draft', to: 'pending_approval', at: createdAt },
    { action: 'approve', from: 'pending_approval', to: 'approved', at: createdAt },
    { action: 'send', from: 'approved', to: 'sent', at: sentAt },
    ...(acceptedAt === null ? [] : [{ action: 'accept', from: 'sent', to: 'accepted', at: acceptedAt }]),
  ]);
}
