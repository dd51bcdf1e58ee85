create or replace function data.guard_scorecard()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if (new.status is distinct from old.status or new.application_id is distinct from old.application_id or new.interview_id is distinct from old.interview_id or new.interviewer_id is distinct from old.interviewer_id or new.recommendation is distinct from old.recommendation or new.score_hundredths is distinct from old.score_hundredths or new.submitted_at is distinct from old.submitted_at)
    or jsonb_path_query_array(new.ratings, '$[*].score') <> jsonb_path_query_array(old.ratings, '$[*].score')
    or jsonb_path_query_array(new.ratings, '$[*].criterion') <> jsonb_path_query_array(old.ratings, '$[*].criterion')
    or (new.summary is not null and new.summary is distinct from old.summary)
    or (new.ratings <> old.ratings and jsonb_path_exists(new.ratings, '$[*] ? (@.note != null)')) then
    raise exception 'a submitted scorecard stays as it is'
      using errcode = '23514', constraint = 'talent_scorecards_locked';
  end if;
  return null;
end
$$;
