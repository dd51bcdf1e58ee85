import { Problem, PROBLEMS } from './problem.js';

describe('the list of codes', () => {
  it('has snake_case codes, error statuses and titles that are no sentences', () => {
    for (const [code, [status, title]] of Object.entries(PROBLEMS)) {
      expect(code).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
    }
  });

  it('has one title for each code', () => {
    const titles = Object.values(PROBLEMS).map(([, title]) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('a problem', () => {
  it('is a document of RFC 9457 with code and request id', () => {
    const problem = new Problem('in_use', 'Deals are in the pipeline.', { extensions: { deals: 3 } });
    expect(problem.toDocument('req_12345678')).toEqual({
      type: 'urn:problem:in_use',
      title: PROBLEMS.in_use[1],
      status: 409,
      detail: 'Deals are in the pipeline.',
      instance: 'urn:request:req_12345678',
      code: 'in_use',
      requestId: 'req_12345678',
      deals: 3,
    });
  });

  it('keeps its cause for the log and out of the document', () => {
    const cause = new Error('password authentication failed');
    const problem = new Problem('unavailable', 'Try again.', { cause });
    expect(problem.cause).toBe(cause);
    expect(JSON.stringify(problem.toDocument('req_12345678'))).not.toContain('password');
  });

  it('says the one failure, or how many there are', () => {
    const failure = { pointer: '/name', code: 'required', detail: 'The field is required.' };
    expect(Problem.validation([failure]).detail).toBe('Field /name: The field is required.');
    expect(Problem.validation([failure, failure]).toDocument('r')).toMatchObject({
      detail: '2 values are not valid.',
      errors: [failure, failure],
    });
  });

  it('is the same for every record that cannot be found', () => {
    expect(Problem.notFound().toDocument('r')).toEqual(Problem.notFound().toDocument('r'));
  });
});
