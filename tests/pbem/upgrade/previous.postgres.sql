SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.absence (
    id integer NOT NULL,
    player_id integer NOT NULL,
    start_at bigint NOT NULL,
    end_at bigint NOT NULL,
    is_floating boolean NOT NULL,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.absence_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.absence_id_seq OWNED BY public.absence.id;
CREATE TABLE public.address_change (
    id integer NOT NULL,
    player_id integer NOT NULL,
    other_id integer NOT NULL,
    reason text NOT NULL,
    asked_at bigint NOT NULL,
    ended_at bigint,
    is_done boolean DEFAULT false NOT NULL,
    confirmed_at bigint,
    is_merger boolean DEFAULT false NOT NULL
);
CREATE SEQUENCE public.address_change_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.address_change_id_seq OWNED BY public.address_change.id;
CREATE TABLE public.address_rule (
    id integer NOT NULL,
    pattern character varying(254) NOT NULL,
    is_allowed boolean NOT NULL,
    reason text NOT NULL,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.address_rule_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.address_rule_id_seq OWNED BY public.address_rule.id;
CREATE TABLE public.admin_session (
    id character varying(64) NOT NULL,
    moderator_id integer,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    stepped_up_at bigint,
    challenge character varying(100),
    challenge_at bigint,
    remote character varying(45) NOT NULL,
    failures integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.audit (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    actor character varying(254) NOT NULL,
    act character varying(40) NOT NULL,
    subject character varying(300) NOT NULL,
    reason text NOT NULL,
    words text NOT NULL,
    detail text NOT NULL,
    previous character varying(64) NOT NULL,
    hash character varying(64) NOT NULL,
    signer character varying(8) DEFAULT ''::character varying NOT NULL,
    mac character varying(64) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.audit_head (
    id integer NOT NULL,
    seq bigint NOT NULL,
    hash character varying(64) NOT NULL,
    told_seq bigint DEFAULT 0 NOT NULL,
    told_day integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.backup (
    id integer NOT NULL,
    at bigint NOT NULL,
    name character varying(200) NOT NULL,
    size bigint NOT NULL,
    sha256 character varying(64) NOT NULL
);
CREATE SEQUENCE public.backup_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.backup_id_seq OWNED BY public.backup.id;
CREATE TABLE public.block (
    id integer NOT NULL,
    player_id integer NOT NULL,
    blocked_id integer NOT NULL,
    at bigint NOT NULL
);
CREATE SEQUENCE public.block_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.block_id_seq OWNED BY public.block.id;
CREATE TABLE public.device (
    id integer NOT NULL,
    player_id integer NOT NULL,
    digest character varying(64) NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE SEQUENCE public.device_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.device_id_seq OWNED BY public.device.id;
CREATE TABLE public.draft (
    turn_id integer NOT NULL,
    orders text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.due (
    kind character varying(10) NOT NULL,
    subject character varying(40) NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.entry (
    match_id character varying(16) NOT NULL,
    seq integer NOT NULL,
    at bigint NOT NULL,
    actor character varying(20) NOT NULL,
    kind character varying(10) NOT NULL,
    text text NOT NULL,
    draws text NOT NULL,
    rules_version integer NOT NULL,
    result text DEFAULT ''::text NOT NULL,
    hash character varying(64) DEFAULT ''::character varying NOT NULL,
    events text
);
CREATE TABLE public.figure (
    kind character varying(10) NOT NULL,
    start bigint NOT NULL,
    value integer NOT NULL
);
CREATE TABLE public.heartbeat (
    id integer NOT NULL,
    ticked_at bigint NOT NULL,
    suspect_since bigint,
    why text NOT NULL,
    held_since bigint,
    let_go_until bigint,
    maintenance_since bigint,
    maintenance_why text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.loan (
    id integer NOT NULL,
    match_id character varying(16) NOT NULL,
    seat integer NOT NULL,
    owner_id integer,
    stand_in_id integer,
    start_at bigint NOT NULL,
    end_at bigint,
    state character varying(10) NOT NULL,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.loan_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.loan_id_seq OWNED BY public.loan.id;
CREATE TABLE public.match (
    id character varying(16) NOT NULL,
    game character varying(40) NOT NULL,
    rules_version integer NOT NULL,
    setup text NOT NULL,
    status character varying(10) NOT NULL,
    head_seq integer NOT NULL,
    timeline integer NOT NULL,
    secret character varying(64) NOT NULL,
    commitment character varying(64) NOT NULL,
    pace integer NOT NULL,
    listed boolean NOT NULL,
    creator_id integer,
    created_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    result text,
    clock text DEFAULT '{}'::text NOT NULL,
    paused_at bigint,
    paused_total integer DEFAULT 0 NOT NULL,
    head character varying(64) DEFAULT ''::character varying NOT NULL,
    adopted_version integer,
    held_at bigint,
    decks text DEFAULT ''::text NOT NULL,
    by_lot boolean DEFAULT false NOT NULL,
    strength character varying(20) DEFAULT ''::character varying NOT NULL,
    has_remarks boolean DEFAULT false NOT NULL,
    rematch_of character varying(16),
    reliable_only boolean DEFAULT false NOT NULL
);
CREATE TABLE public.message (
    id integer NOT NULL,
    match_id character varying(16) NOT NULL,
    seat integer NOT NULL,
    at bigint NOT NULL,
    text text NOT NULL,
    heard_by character varying(40) DEFAULT ''::character varying NOT NULL,
    unheard_by character varying(40) DEFAULT ''::character varying NOT NULL,
    is_public boolean DEFAULT false NOT NULL
);
CREATE SEQUENCE public.message_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.message_id_seq OWNED BY public.message.id;
CREATE TABLE public.moderator (
    id integer NOT NULL,
    address character varying(254) NOT NULL,
    name character varying(40) NOT NULL,
    role character varying(10) NOT NULL,
    created_at bigint NOT NULL,
    disabled_at bigint,
    password_hash character varying(200) NOT NULL,
    totp_secret character varying(200) NOT NULL,
    totp_step bigint NOT NULL,
    failures integer NOT NULL,
    locked_until bigint,
    setup_epoch bigint NOT NULL
);
CREATE SEQUENCE public.moderator_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.moderator_id_seq OWNED BY public.moderator.id;
CREATE TABLE public.note (
    match_id character varying(16) NOT NULL,
    player_id integer NOT NULL,
    text text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.outbox (
    id integer NOT NULL,
    dedupe character varying(120) NOT NULL,
    stream character varying(60) NOT NULL,
    kind character varying(20) NOT NULL,
    player_id integer NOT NULL,
    match_id character varying(16),
    seat integer,
    turn integer,
    about text NOT NULL,
    epoch bigint NOT NULL,
    state character varying(12) NOT NULL,
    attempts integer NOT NULL,
    next_at bigint NOT NULL,
    lease_by character varying(40) NOT NULL,
    lease_until bigint NOT NULL,
    message_id character varying(120),
    mime bytea,
    last_error character varying(200) NOT NULL,
    created_at bigint NOT NULL,
    sent_at bigint,
    refusals integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.outbox_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.outbox_id_seq OWNED BY public.outbox.id;
CREATE TABLE public.passkey (
    id integer NOT NULL,
    moderator_id integer NOT NULL,
    credential_id text NOT NULL,
    public_key text NOT NULL,
    sign_count bigint NOT NULL,
    name character varying(40) NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
);
CREATE SEQUENCE public.passkey_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.passkey_id_seq OWNED BY public.passkey.id;
CREATE TABLE public.player (
    id integer NOT NULL,
    address character varying(254) NOT NULL,
    name character varying(40) NOT NULL,
    language character varying(2) NOT NULL,
    zone character varying(64) NOT NULL,
    created_at bigint NOT NULL,
    confirmed_at bigint,
    epoch bigint NOT NULL,
    news boolean NOT NULL,
    leads text DEFAULT ''::text NOT NULL,
    digest_hour integer,
    days_off text DEFAULT '[]'::text NOT NULL,
    night text DEFAULT ''::text NOT NULL,
    reminders boolean DEFAULT true NOT NULL,
    stands_in boolean DEFAULT false NOT NULL,
    banned_at bigint,
    plain character varying(254) DEFAULT ''::character varying NOT NULL,
    sought character varying(300) DEFAULT ''::character varying NOT NULL,
    unreachable_since bigint,
    turn_word boolean DEFAULT false NOT NULL,
    quick_moves integer DEFAULT 0 NOT NULL,
    one_subject boolean DEFAULT false NOT NULL,
    receipts boolean DEFAULT false NOT NULL
);
CREATE SEQUENCE public.player_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.player_id_seq OWNED BY public.player.id;
CREATE TABLE public.question (
    id integer NOT NULL,
    kind character varying(10) NOT NULL,
    address character varying(254) NOT NULL,
    match_id character varying(16) NOT NULL,
    language character varying(2) NOT NULL,
    at bigint NOT NULL
);
CREATE SEQUENCE public.question_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.question_id_seq OWNED BY public.question.id;
CREATE TABLE public.rehearsal (
    id integer NOT NULL,
    asked_at bigint NOT NULL,
    asked_by character varying(254) NOT NULL,
    ended_at bigint,
    version character varying(200) NOT NULL,
    upto character varying(16) NOT NULL,
    total integer NOT NULL,
    matches integer NOT NULL,
    entries integer NOT NULL,
    faults integer NOT NULL,
    found text NOT NULL
);
CREATE SEQUENCE public.rehearsal_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.rehearsal_id_seq OWNED BY public.rehearsal.id;
CREATE TABLE public.report (
    id integer NOT NULL,
    state character varying(6) NOT NULL,
    about character varying(10) NOT NULL,
    player_id integer NOT NULL,
    subject_id integer,
    match_id character varying(16),
    seat integer,
    message integer,
    letter character varying(20) NOT NULL,
    letter_at bigint NOT NULL,
    words text NOT NULL,
    created_at bigint NOT NULL,
    closed_at bigint
);
CREATE SEQUENCE public.report_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.report_id_seq OWNED BY public.report.id;
CREATE TABLE public.report_line (
    id integer NOT NULL,
    report_id integer NOT NULL,
    at bigint NOT NULL,
    author character varying(10) NOT NULL,
    who character varying(254) NOT NULL,
    text text NOT NULL
);
CREATE SEQUENCE public.report_line_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.report_line_id_seq OWNED BY public.report_line.id;
CREATE TABLE public.schema_migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp without time zone NOT NULL
);
CREATE SEQUENCE public.schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.schema_migration_id_seq OWNED BY public.schema_migration.id;
CREATE TABLE public.seat (
    id integer NOT NULL,
    match_id character varying(16) NOT NULL,
    number integer NOT NULL,
    name character varying(20) NOT NULL,
    player_id integer,
    status character varying(10) NOT NULL,
    phrase character varying(200) NOT NULL,
    epoch bigint NOT NULL,
    draw_offered boolean NOT NULL,
    bank integer,
    missed integer DEFAULT 0 NOT NULL,
    pause_wanted boolean DEFAULT false NOT NULL,
    is_open_to_allies boolean DEFAULT false NOT NULL,
    machine_wanted boolean DEFAULT false NOT NULL
);
CREATE TABLE public.seat_alert (
    id integer NOT NULL,
    player_id integer NOT NULL,
    game character varying(40) NOT NULL
);
CREATE SEQUENCE public.seat_alert_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.seat_alert_id_seq OWNED BY public.seat_alert.id;
CREATE SEQUENCE public.seat_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.seat_id_seq OWNED BY public.seat.id;
CREATE TABLE public.sending (
    turn_id integer NOT NULL,
    key_digest character varying(64) NOT NULL,
    orders_digest character varying(64) NOT NULL,
    first_seq integer NOT NULL,
    last_seq integer NOT NULL
);
CREATE TABLE public.signing_key (
    fingerprint character varying(16) NOT NULL,
    seen_at bigint NOT NULL
);
CREATE TABLE public.snapshot (
    match_id character varying(16) NOT NULL,
    seq integer NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.takeback (
    id integer NOT NULL,
    match_id character varying(16) NOT NULL,
    seat integer NOT NULL,
    entry integer NOT NULL,
    asked_seq integer NOT NULL,
    asked_at bigint NOT NULL,
    agreed_by character varying(40) DEFAULT ''::character varying NOT NULL,
    state character varying(10) NOT NULL,
    ended_at bigint
);
CREATE SEQUENCE public.takeback_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.takeback_id_seq OWNED BY public.takeback.id;
CREATE TABLE public.tally (
    key character varying(64) NOT NULL,
    begins_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    count integer NOT NULL
);
CREATE TABLE public.turn (
    id integer NOT NULL,
    match_id character varying(16) NOT NULL,
    seat integer NOT NULL,
    opened_seq integer NOT NULL,
    closed_seq integer,
    opened_at bigint NOT NULL,
    closed_at bigint,
    deadline_at bigint NOT NULL,
    budget integer DEFAULT 0 NOT NULL,
    started_at bigint,
    absent integer DEFAULT 0 NOT NULL,
    since bigint,
    allowed integer DEFAULT 0 NOT NULL,
    missed boolean DEFAULT false NOT NULL,
    is_inquiry boolean DEFAULT false NOT NULL
);
CREATE SEQUENCE public.turn_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.turn_id_seq OWNED BY public.turn.id;
CREATE TABLE public.wrong_word (
    link character varying(64) NOT NULL,
    count integer NOT NULL,
    since bigint NOT NULL
);
ALTER TABLE ONLY public.absence ALTER COLUMN id SET DEFAULT nextval('public.absence_id_seq'::regclass);
ALTER TABLE ONLY public.address_change ALTER COLUMN id SET DEFAULT nextval('public.address_change_id_seq'::regclass);
ALTER TABLE ONLY public.address_rule ALTER COLUMN id SET DEFAULT nextval('public.address_rule_id_seq'::regclass);
ALTER TABLE ONLY public.backup ALTER COLUMN id SET DEFAULT nextval('public.backup_id_seq'::regclass);
ALTER TABLE ONLY public.block ALTER COLUMN id SET DEFAULT nextval('public.block_id_seq'::regclass);
ALTER TABLE ONLY public.device ALTER COLUMN id SET DEFAULT nextval('public.device_id_seq'::regclass);
ALTER TABLE ONLY public.loan ALTER COLUMN id SET DEFAULT nextval('public.loan_id_seq'::regclass);
ALTER TABLE ONLY public.message ALTER COLUMN id SET DEFAULT nextval('public.message_id_seq'::regclass);
ALTER TABLE ONLY public.moderator ALTER COLUMN id SET DEFAULT nextval('public.moderator_id_seq'::regclass);
ALTER TABLE ONLY public.outbox ALTER COLUMN id SET DEFAULT nextval('public.outbox_id_seq'::regclass);
ALTER TABLE ONLY public.passkey ALTER COLUMN id SET DEFAULT nextval('public.passkey_id_seq'::regclass);
ALTER TABLE ONLY public.player ALTER COLUMN id SET DEFAULT nextval('public.player_id_seq'::regclass);
ALTER TABLE ONLY public.question ALTER COLUMN id SET DEFAULT nextval('public.question_id_seq'::regclass);
ALTER TABLE ONLY public.rehearsal ALTER COLUMN id SET DEFAULT nextval('public.rehearsal_id_seq'::regclass);
ALTER TABLE ONLY public.report ALTER COLUMN id SET DEFAULT nextval('public.report_id_seq'::regclass);
ALTER TABLE ONLY public.report_line ALTER COLUMN id SET DEFAULT nextval('public.report_line_id_seq'::regclass);
ALTER TABLE ONLY public.schema_migration ALTER COLUMN id SET DEFAULT nextval('public.schema_migration_id_seq'::regclass);
ALTER TABLE ONLY public.seat ALTER COLUMN id SET DEFAULT nextval('public.seat_id_seq'::regclass);
ALTER TABLE ONLY public.seat_alert ALTER COLUMN id SET DEFAULT nextval('public.seat_alert_id_seq'::regclass);
ALTER TABLE ONLY public.takeback ALTER COLUMN id SET DEFAULT nextval('public.takeback_id_seq'::regclass);
ALTER TABLE ONLY public.turn ALTER COLUMN id SET DEFAULT nextval('public.turn_id_seq'::regclass);
INSERT INTO public.audit_head VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000', 0, 0);
INSERT INTO public.due VALUES ('turn', '1', 1800129606);
INSERT INTO public.due VALUES ('turn', '2', 1800129606);
INSERT INTO public.due VALUES ('turn', '3', 1800129665);
INSERT INTO public.entry VALUES ('sqg79paknz', 0, 1800000000, '', 'setup', '', '[{"kind":"shuffle","why":"1","size":18,"result":[5,3,7,16,17,13,11,1,14,2,10,9,6,12,4,15,8,0]}]', 1, '', '4c1a7d34d32524986cfe25c083f24581d20bc58d0bc1d5104eeec2cb8a3b5073', '[{"text":{"type":"text","msgid":"Each side is dealt five cards.","params":{}},"audience":null},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Iran","de":"Iran","fr":"Iran"},{"type":"name","en":"West Germany","de":"Westdeutschland","fr":"Allemagne de l''Ouest"},{"type":"name","en":"Pakistan","de":"Pakistan","fr":"Pakistan"},{"type":"name","en":"Brazil","de":"Brasilien","fr":"Brésil"},{"type":"name","en":"Chile","de":"Chile","fr":"Chili"}]}},"audience":["usa"]},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Nigeria","de":"Nigeria","fr":"Nigéria"},{"type":"name","en":"Algeria","de":"Algerien","fr":"Algérie"},{"type":"name","en":"Italy","de":"Italien","fr":"Italie"},{"type":"name","en":"Panama","de":"Panama","fr":"Panama"},{"type":"name","en":"France","de":"Frankreich","fr":"France"}]}},"audience":["ussr"]}]');
INSERT INTO public.entry VALUES ('668f4haftz', 0, 1800000000, '', 'setup', '', '[{"kind":"shuffle","why":"1","size":18,"result":[1,12,2,5,0,10,15,8,4,14,7,17,9,6,16,13,3,11]}]', 1, '', '1cc4a0d8f7146de04588f0970894dffecbb2ef987bb58f140e90f7a2e310026c', '[{"text":{"type":"text","msgid":"Each side is dealt five cards.","params":{}},"audience":null},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Italy","de":"Italien","fr":"Italie"},{"type":"name","en":"Zaire","de":"Zaire","fr":"Zaïre"},{"type":"name","en":"France","de":"Frankreich","fr":"France"},{"type":"name","en":"Iran","de":"Iran","fr":"Iran"},{"type":"name","en":"Poland","de":"Polen","fr":"Pologne"}]}},"audience":["usa"]},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"South Africa","de":"Südafrika","fr":"Afrique du Sud"},{"type":"name","en":"Cuba","de":"Kuba","fr":"Cuba"},{"type":"name","en":"Japan","de":"Japan","fr":"Japon"},{"type":"name","en":"East Germany","de":"Ostdeutschland","fr":"Allemagne de l''Est"},{"type":"name","en":"Panama","de":"Panama","fr":"Panama"}]}},"audience":["ussr"]}]');
INSERT INTO public.entry VALUES ('sqg79paknz', 1, 1800000060, 'ussr', 'action', 'first usa', '[]', 1, '', '9b617a71b0d50095c6c5bc054265f2e89dcc369c713d2375de188d3a7c1da9ec', '[{"text":{"type":"text","msgid":"{side} decides: {first} goes first in round {round}.","params":{"side":{"type":"name","en":"USSR","de":"UdSSR","fr":"URSS"},"first":{"type":"name","en":"USA","de":"USA","fr":"USA"},"round":1}},"audience":null}]');
INSERT INTO public.entry VALUES ('sqg79paknz', 2, 1800000120, 'usa', 'action', 'play chile s18', '[]', 1, '', 'd1f76bb077ff62b657aeefbddbf1891f0d1afa43a770cf8bdcfb53fddfcc709b', '[{"text":{"type":"text","msgid":"{side} plays {card} on {cell}.","params":{"side":{"type":"name","en":"USA","de":"USA","fr":"USA"},"card":{"type":"name","en":"Chile","de":"Chile","fr":"Chili"},"cell":"s18"}},"audience":null}]');
INSERT INTO public.entry VALUES ('sqg79paknz', 3, 1800000180, 'usa', 'action', 'event', '[]', 1, '', '63f68da938287bc6eae85438efbac01fba2b154b892609ec8801ceba2a96bdfd', '[{"text":{"type":"text","msgid":"{side} uses the event of {card}.","params":{"side":{"type":"name","en":"USA","de":"USA","fr":"USA"},"card":{"type":"name","en":"Chile","de":"Chile","fr":"Chili"}}},"audience":null}]');
INSERT INTO public.heartbeat VALUES (1, 1800000185, NULL, '', NULL, NULL, NULL, '');
INSERT INTO public.match VALUES ('668f4haftz', 'iron_curtain', 1, '{}', 'live', 0, 0, '2af09f351a0937615e29fefdf359775208be43e2194f5eece986d558e210e7be', 'f222024fb833974f49f0ac4f91f084563ace1543d64f185e51ec34014162953f', 259200, false, 1, 1800000000, 1800000000, NULL, NULL, '{"per_move":259200}', NULL, 0, '1cc4a0d8f7146de04588f0970894dffecbb2ef987bb58f140e90f7a2e310026c', NULL, NULL, '', false, '', false, NULL, false);
INSERT INTO public.match VALUES ('sqg79paknz', 'iron_curtain', 1, '{}', 'live', 3, 0, '341c6565b3ad0c7827a264c85d539ead0ccd9639105c562f558563840daff86d', 'edd6d914fe7d573ea9d2b607b9361f3771c8ea9c9212cb01cd46bfcc36931464', 259200, false, 1, 1800000000, 1800000000, NULL, NULL, '{"per_move":259200}', NULL, 0, '63f68da938287bc6eae85438efbac01fba2b154b892609ec8801ceba2a96bdfd', NULL, NULL, '', false, '', false, NULL, false);
INSERT INTO public.outbox VALUES (3, 'turn:sqg79paknz:1:3:1', 'sqg79paknz/1', 'turn', 3, 'sqg79paknz', 1, 1, '{"from":0,"seq":0,"begins":true}', 1800000000, 'sent', 1, 1800000000, 'old', 1800000065, '<o.0.3.ec724d2bee2d67b9@play.example.org>', NULL, '', 1800000000, 1800000006, 0);
INSERT INTO public.outbox VALUES (4, 'started:sqg79paknz:0:1:started', 'sqg79paknz/0', 'started', 1, 'sqg79paknz', 0, NULL, '{"seq":0}', 1800000000, 'sent', 1, 1800000000, 'old', 1800000065, '<o.0.4.9c872eed079deee0@play.example.org>', NULL, '', 1800000000, 1800000006, 0);
INSERT INTO public.outbox VALUES (8, 'turn:668f4haftz:1:3:2', '668f4haftz/1', 'turn', 3, '668f4haftz', 1, 2, '{"from":0,"seq":0,"begins":true}', 1800000000, 'sent', 1, 1800000000, 'old', 1800000065, '<o.0.8.3a57d34c3e1d4dbd@play.example.org>', NULL, '', 1800000000, 1800000006, 0);
INSERT INTO public.outbox VALUES (9, 'started:668f4haftz:0:1:started', '668f4haftz/0', 'started', 1, '668f4haftz', 0, NULL, '{"seq":0}', 1800000000, 'sent', 1, 1800000000, 'old', 1800000065, '<o.0.9.9ec74870a81bcff7@play.example.org>', NULL, '', 1800000000, 1800000006, 0);
INSERT INTO public.outbox VALUES (1, 'confirm:1:sqg79paknz', 'player/1', 'confirm', 1, NULL, NULL, NULL, '{"match":"sqg79paknz"}', 1800000000, 'superseded', 0, 1800000005, 'old', 1800000065, NULL, NULL, '', 1800000000, NULL, 0);
INSERT INTO public.outbox VALUES (2, 'invitation:sqg79paknz:1:3:1800000000:1800000000', 'player/3', 'invitation', 3, 'sqg79paknz', 1, NULL, '{}', 1800000000, 'superseded', 0, 1800000005, 'old', 1800000065, NULL, NULL, '', 1800000000, NULL, 0);
INSERT INTO public.outbox VALUES (5, 'started:sqg79paknz:1:3:started', 'sqg79paknz/1', 'started', 3, 'sqg79paknz', 1, NULL, '{"seq":0}', 1800000000, 'superseded', 0, 1800000006, 'old', 1800000066, NULL, NULL, '', 1800000000, NULL, 0);
INSERT INTO public.outbox VALUES (6, 'confirm:1:668f4haftz', 'player/1', 'confirm', 1, NULL, NULL, NULL, '{"match":"668f4haftz"}', 1800000000, 'superseded', 0, 1800000006, 'old', 1800000066, NULL, NULL, '', 1800000000, NULL, 0);
INSERT INTO public.outbox VALUES (7, 'invitation:668f4haftz:1:3:1800000000:1800000000', 'player/3', 'invitation', 3, '668f4haftz', 1, NULL, '{}', 1800000000, 'superseded', 0, 1800000006, 'old', 1800000066, NULL, NULL, '', 1800000000, NULL, 0);
INSERT INTO public.outbox VALUES (10, 'started:668f4haftz:1:3:started', '668f4haftz/1', 'started', 3, '668f4haftz', 1, NULL, '{"seq":0}', 1800000000, 'superseded', 0, 1800000006, 'old', 1800000066, NULL, NULL, '', 1800000000, NULL, 0);
INSERT INTO public.outbox VALUES (11, 'turn:sqg79paknz:0:1:3', 'sqg79paknz/0', 'turn', 1, 'sqg79paknz', 0, 3, '{"from":1,"seq":1}', 1800000000, 'sent', 1, 1800000060, 'old', 1800000125, '<o.0.11.1f7c68cd511ff7e5@play.example.org>', NULL, '', 1800000060, 1800000065, 0);
INSERT INTO public.outbox VALUES (12, 'receipt:sqg79paknz:1:3:1', 'sqg79paknz/1', 'receipt', 3, 'sqg79paknz', 1, NULL, '{"from":1,"seq":1}', 1800000000, 'sent', 1, 1800000060, 'old', 1800000125, '<o.0.12.93b44f1218f86865@play.example.org>', NULL, '', 1800000060, 1800000065, 0);
INSERT INTO public.player VALUES (1, 'ann@example.org', 'Ann', 'en', 'UTC', 1800000000, 1800000000, 1800000000, true, '', NULL, '[]', '', true, false, NULL, 'ann@example.org', 'ann ann@example.org', NULL, false, 0, false, false);
INSERT INTO public.player VALUES (3, 'bob@example.org', 'Bob', 'de', 'Europe/Berlin', 1800000000, 1800000000, 1800000000, true, '', NULL, '[]', '', true, false, NULL, 'bob@example.org', 'bob bob@example.org', NULL, false, 0, false, false);
INSERT INTO public.schema_migration VALUES (1, '0001_first', '2026-11-18 16:52:56.047531');
INSERT INTO public.schema_migration VALUES (2, '0002_time', '2026-11-18 16:52:56.151528');
INSERT INTO public.schema_migration VALUES (3, '0003_moderators', '2026-11-18 16:52:56.199606');
INSERT INTO public.schema_migration VALUES (4, '0004_match_lists', '2026-11-18 16:52:56.227336');
INSERT INTO public.schema_migration VALUES (5, '0005_operations', '2026-11-18 16:52:56.343376');
INSERT INTO public.schema_migration VALUES (6, '0006_players', '2026-11-18 16:52:56.615389');
INSERT INTO public.schema_migration VALUES (7, '0007_reports', '2026-11-18 16:52:56.736758');
INSERT INTO public.schema_migration VALUES (8, '0008_fewer_indexes', '2026-11-18 16:52:56.844813');
INSERT INTO public.schema_migration VALUES (9, '0009_chain', '2026-11-18 16:52:56.877017');
INSERT INTO public.schema_migration VALUES (10, '0011_letters_kept', '2026-11-18 16:52:56.905529');
INSERT INTO public.schema_migration VALUES (11, '0012_limits', '2026-11-18 16:52:56.960916');
INSERT INTO public.schema_migration VALUES (12, '0013_guards', '2026-11-18 16:52:57.017547');
INSERT INTO public.schema_migration VALUES (13, '0014_mergers', '2026-11-18 16:52:57.033141');
INSERT INTO public.schema_migration VALUES (14, '0015_events_and_rules', '2026-11-18 16:52:57.034533');
INSERT INTO public.schema_migration VALUES (15, '0016_inquiries', '2026-11-18 16:52:57.059359');
INSERT INTO public.schema_migration VALUES (16, '0017_talk', '2026-11-18 16:52:57.071302');
INSERT INTO public.schema_migration VALUES (17, '0018_sides_by_lot', '2026-11-18 16:52:57.091336');
INSERT INTO public.schema_migration VALUES (18, '0020_machine_players', '2026-11-18 16:52:57.093405');
INSERT INTO public.schema_migration VALUES (19, '0021_inbox', '2026-11-18 16:52:57.129058');
INSERT INTO public.schema_migration VALUES (20, '0022_between_players', '2026-11-18 16:52:57.35537');
INSERT INTO public.seat VALUES (1, 'sqg79paknz', 0, 'usa', 1, 'joined', 'from ann', 1800000000, false, NULL, 0, false, false, false);
INSERT INTO public.seat VALUES (2, 'sqg79paknz', 1, 'ussr', 3, 'joined', 'from bob', 1800000000, false, NULL, 0, false, false, false);
INSERT INTO public.seat VALUES (3, '668f4haftz', 0, 'usa', 1, 'joined', 'from ann', 1800000000, false, NULL, 0, false, false, false);
INSERT INTO public.seat VALUES (4, '668f4haftz', 1, 'ussr', 3, 'joined', '', 1800000000, false, NULL, 0, false, false, false);
INSERT INTO public.snapshot VALUES ('sqg79paknz', 0, '{"variant":{"edition":"en","deck":"standard","connected":false},"order":["iran","west_germany","pakistan","brazil","chile","nigeria","algeria","italy","panama","france","south_africa","vietnam","egypt","zaire","east_germany","cuba","japan","poland"],"hands":[["iran","west_germany","pakistan","brazil","chile"],["nigeria","algeria","italy","panama","france"]],"reserve":["south_africa","vietnam","egypt","zaire","east_germany","cuba","japan","poland"],"aftermath":[],"table":[{"card":"europe","cell":[0,0],"usa":1,"ussr":1}],"supplies":[23,23],"track":0,"round":1,"turn":0,"first":null,"scored":[],"stack":[{"type":"ChooseFirst","seat":"ussr"}],"news":[{"text":{"type":"text","msgid":"Each side is dealt five cards.","params":{}},"audience":null},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Iran","de":"Iran","fr":"Iran"},{"type":"name","en":"West Germany","de":"Westdeutschland","fr":"Allemagne de l''Ouest"},{"type":"name","en":"Pakistan","de":"Pakistan","fr":"Pakistan"},{"type":"name","en":"Brazil","de":"Brasilien","fr":"Brésil"},{"type":"name","en":"Chile","de":"Chile","fr":"Chili"}]}},"audience":["usa"]},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Nigeria","de":"Nigeria","fr":"Nigéria"},{"type":"name","en":"Algeria","de":"Algerien","fr":"Algérie"},{"type":"name","en":"Italy","de":"Italien","fr":"Italie"},{"type":"name","en":"Panama","de":"Panama","fr":"Panama"},{"type":"name","en":"France","de":"Frankreich","fr":"France"}]}},"audience":["ussr"]}],"result":null,"standing":[{"general":"ask","cards":[]},{"general":"ask","cards":[]}]}');
INSERT INTO public.snapshot VALUES ('668f4haftz', 0, '{"variant":{"edition":"en","deck":"standard","connected":false},"order":["italy","zaire","france","iran","poland","south_africa","cuba","japan","east_germany","panama","pakistan","chile","vietnam","egypt","brazil","nigeria","west_germany","algeria"],"hands":[["italy","zaire","france","iran","poland"],["south_africa","cuba","japan","east_germany","panama"]],"reserve":["pakistan","chile","vietnam","egypt","brazil","nigeria","west_germany","algeria"],"aftermath":[],"table":[{"card":"europe","cell":[0,0],"usa":1,"ussr":1}],"supplies":[23,23],"track":0,"round":1,"turn":0,"first":null,"scored":[],"stack":[{"type":"ChooseFirst","seat":"ussr"}],"news":[{"text":{"type":"text","msgid":"Each side is dealt five cards.","params":{}},"audience":null},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Italy","de":"Italien","fr":"Italie"},{"type":"name","en":"Zaire","de":"Zaire","fr":"Zaïre"},{"type":"name","en":"France","de":"Frankreich","fr":"France"},{"type":"name","en":"Iran","de":"Iran","fr":"Iran"},{"type":"name","en":"Poland","de":"Polen","fr":"Pologne"}]}},"audience":["usa"]},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"South Africa","de":"Südafrika","fr":"Afrique du Sud"},{"type":"name","en":"Cuba","de":"Kuba","fr":"Cuba"},{"type":"name","en":"Japan","de":"Japan","fr":"Japon"},{"type":"name","en":"East Germany","de":"Ostdeutschland","fr":"Allemagne de l''Est"},{"type":"name","en":"Panama","de":"Panama","fr":"Panama"}]}},"audience":["ussr"]}],"result":null,"standing":[{"general":"ask","cards":[]},{"general":"ask","cards":[]}]}');
INSERT INTO public.snapshot VALUES ('sqg79paknz', 1, '{"variant":{"edition":"en","deck":"standard","connected":false},"order":["iran","west_germany","pakistan","brazil","chile","nigeria","algeria","italy","panama","france","south_africa","vietnam","egypt","zaire","east_germany","cuba","japan","poland"],"hands":[["iran","west_germany","pakistan","brazil","chile"],["nigeria","algeria","italy","panama","france"]],"reserve":["south_africa","vietnam","egypt","zaire","east_germany","cuba","japan","poland"],"aftermath":[],"table":[{"card":"europe","cell":[0,0],"usa":1,"ussr":1}],"supplies":[23,23],"track":0,"round":1,"turn":0,"first":"usa","scored":[],"stack":[{"type":"PlayCard","seat":"usa"}],"news":[{"text":{"type":"text","msgid":"Each side is dealt five cards.","params":{}},"audience":null},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Iran","de":"Iran","fr":"Iran"},{"type":"name","en":"West Germany","de":"Westdeutschland","fr":"Allemagne de l''Ouest"},{"type":"name","en":"Pakistan","de":"Pakistan","fr":"Pakistan"},{"type":"name","en":"Brazil","de":"Brasilien","fr":"Brésil"},{"type":"name","en":"Chile","de":"Chile","fr":"Chili"}]}},"audience":["usa"]},{"text":{"type":"text","msgid":"You are dealt {cards}.","params":{"cards":[{"type":"name","en":"Nigeria","de":"Nigeria","fr":"Nigéria"},{"type":"name","en":"Algeria","de":"Algerien","fr":"Algérie"},{"type":"name","en":"Italy","de":"Italien","fr":"Italie"},{"type":"name","en":"Panama","de":"Panama","fr":"Panama"},{"type":"name","en":"France","de":"Frankreich","fr":"France"}]}},"audience":["ussr"]},{"text":{"type":"text","msgid":"{side} decides: {first} goes first in round {round}.","params":{"side":{"type":"name","en":"USSR","de":"UdSSR","fr":"URSS"},"first":{"type":"name","en":"USA","de":"USA","fr":"USA"},"round":1}},"audience":null}],"result":null,"standing":[{"general":"ask","cards":[]},{"general":"ask","cards":[]}]}');
INSERT INTO public.tally VALUES ('a958e42d71cae0062ded7dab1f101064f3e470fb92435f9488b0649e425f95ac', 1799971200, 1800057600, 1);
INSERT INTO public.tally VALUES ('9fac4ca699eb8a289dd67af1770768c8d3af41f78fd8d05f1289f4dfa806570a', 1799971200, 1800057600, 1);
INSERT INTO public.tally VALUES ('ba50613a8046f8220d8eaac853aa748c03889ad9a43858ce4c8830b6515a508d', 1799971200, 1800057600, 2);
INSERT INTO public.turn VALUES (2, '668f4haftz', 1, 0, NULL, 1800000000, NULL, 1800259206, 259200, 1800000006, 0, 1800000006, 259200, false, false);
INSERT INTO public.turn VALUES (1, 'sqg79paknz', 1, 0, 1, 1800000000, 1800000060, 1800259206, 259200, 1800000006, 0, 1800000006, 259200, false, false);
INSERT INTO public.turn VALUES (3, 'sqg79paknz', 0, 1, NULL, 1800000060, NULL, 1800259265, 259200, 1800000065, 0, 1800000065, 259200, false, false);
SELECT pg_catalog.setval('public.absence_id_seq', 1, false);
SELECT pg_catalog.setval('public.address_change_id_seq', 1, false);
SELECT pg_catalog.setval('public.address_rule_id_seq', 1, false);
SELECT pg_catalog.setval('public.backup_id_seq', 1, false);
SELECT pg_catalog.setval('public.block_id_seq', 1, false);
SELECT pg_catalog.setval('public.device_id_seq', 1, false);
SELECT pg_catalog.setval('public.loan_id_seq', 1, false);
SELECT pg_catalog.setval('public.message_id_seq', 1, false);
SELECT pg_catalog.setval('public.moderator_id_seq', 1, false);
SELECT pg_catalog.setval('public.outbox_id_seq', 12, true);
SELECT pg_catalog.setval('public.passkey_id_seq', 1, false);
SELECT pg_catalog.setval('public.player_id_seq', 6, true);
SELECT pg_catalog.setval('public.question_id_seq', 1, false);
SELECT pg_catalog.setval('public.rehearsal_id_seq', 1, false);
SELECT pg_catalog.setval('public.report_id_seq', 1, false);
SELECT pg_catalog.setval('public.report_line_id_seq', 1, false);
SELECT pg_catalog.setval('public.schema_migration_id_seq', 20, true);
SELECT pg_catalog.setval('public.seat_alert_id_seq', 1, false);
SELECT pg_catalog.setval('public.seat_id_seq', 4, true);
SELECT pg_catalog.setval('public.takeback_id_seq', 1, false);
SELECT pg_catalog.setval('public.turn_id_seq', 3, true);
ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.address_change
    ADD CONSTRAINT address_change_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.address_rule
    ADD CONSTRAINT address_rule_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.admin_session
    ADD CONSTRAINT admin_session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_head
    ADD CONSTRAINT audit_head_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.backup
    ADD CONSTRAINT backup_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT block_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.draft
    ADD CONSTRAINT draft_pkey PRIMARY KEY (turn_id);
ALTER TABLE ONLY public.due
    ADD CONSTRAINT due_pkey PRIMARY KEY (kind, subject);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT entry_pkey PRIMARY KEY (match_id, seq);
ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_pkey PRIMARY KEY (kind, start);
ALTER TABLE ONLY public.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.loan
    ADD CONSTRAINT loan_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.match
    ADD CONSTRAINT match_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moderator
    ADD CONSTRAINT moderator_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.note
    ADD CONSTRAINT note_pkey PRIMARY KEY (match_id, player_id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.player
    ADD CONSTRAINT player_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.question
    ADD CONSTRAINT question_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rehearsal
    ADD CONSTRAINT rehearsal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.report_line
    ADD CONSTRAINT report_line_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.report
    ADD CONSTRAINT report_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.seat_alert
    ADD CONSTRAINT seat_alert_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT seat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sending
    ADD CONSTRAINT sending_pkey PRIMARY KEY (turn_id, key_digest);
ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (fingerprint);
ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_pkey PRIMARY KEY (match_id, seq);
ALTER TABLE ONLY public.takeback
    ADD CONSTRAINT takeback_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tally
    ADD CONSTRAINT tally_pkey PRIMARY KEY (key, begins_at);
ALTER TABLE ONLY public.turn
    ADD CONSTRAINT turn_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.wrong_word
    ADD CONSTRAINT wrong_word_pkey PRIMARY KEY (link);
CREATE INDEX absence_player_id ON public.absence USING btree (player_id);
CREATE INDEX address_change_other_id ON public.address_change USING btree (other_id);
CREATE INDEX address_change_player_id ON public.address_change USING btree (player_id);
CREATE UNIQUE INDEX address_rule_pattern ON public.address_rule USING btree (pattern);
CREATE INDEX admin_session_moderator_id ON public.admin_session USING btree (moderator_id);
CREATE INDEX audit_subject_seq ON public.audit USING btree (subject, seq);
CREATE INDEX block_blocked_id ON public.block USING btree (blocked_id);
CREATE INDEX block_player_id ON public.block USING btree (player_id);
CREATE INDEX device_digest ON public.device USING btree (digest);
CREATE UNIQUE INDEX device_player_id_digest ON public.device USING btree (player_id, digest);
CREATE INDEX due_at_kind_subject ON public.due USING btree (at, kind, subject);
CREATE INDEX loan_match_id ON public.loan USING btree (match_id);
CREATE INDEX loan_owner_id ON public.loan USING btree (owner_id);
CREATE INDEX loan_stand_in_id ON public.loan USING btree (stand_in_id);
CREATE INDEX match_created_at_id ON public.match USING btree (created_at, id);
CREATE INDEX match_creator_id ON public.match USING btree (creator_id);
CREATE INDEX match_rematch_of ON public.match USING btree (rematch_of);
CREATE INDEX match_status_created_at_id ON public.match USING btree (status, created_at, id);
CREATE INDEX message_match_id ON public.message USING btree (match_id);
CREATE UNIQUE INDEX moderator_address ON public.moderator USING btree (address);
CREATE INDEX note_player_id ON public.note USING btree (player_id);
CREATE UNIQUE INDEX outbox_dedupe ON public.outbox USING btree (dedupe);
CREATE INDEX outbox_match_id ON public.outbox USING btree (match_id);
CREATE INDEX outbox_player_id ON public.outbox USING btree (player_id);
CREATE INDEX outbox_state_next_at ON public.outbox USING btree (state, next_at);
CREATE INDEX outbox_stream ON public.outbox USING btree (stream);
CREATE UNIQUE INDEX passkey_credential_id ON public.passkey USING btree (credential_id);
CREATE INDEX passkey_moderator_id ON public.passkey USING btree (moderator_id);
CREATE UNIQUE INDEX player_address ON public.player USING btree (address);
CREATE INDEX player_created_at_id_sought ON public.player USING btree (created_at, id, sought);
CREATE INDEX player_plain ON public.player USING btree (plain);
CREATE INDEX player_sought ON public.player USING btree (sought);
CREATE INDEX report_line_report_id ON public.report_line USING btree (report_id);
CREATE INDEX report_match_id ON public.report USING btree (match_id);
CREATE INDEX report_player_id ON public.report USING btree (player_id);
CREATE INDEX report_state_id ON public.report USING btree (state, id);
CREATE INDEX report_subject_id ON public.report USING btree (subject_id);
CREATE UNIQUE INDEX schema_migration_name ON public.schema_migration USING btree (name);
CREATE INDEX seat_alert_game ON public.seat_alert USING btree (game);
CREATE INDEX seat_alert_player_id ON public.seat_alert USING btree (player_id);
CREATE UNIQUE INDEX seat_match_id_number ON public.seat USING btree (match_id, number);
CREATE INDEX seat_player_id ON public.seat USING btree (player_id);
CREATE INDEX takeback_match_id ON public.takeback USING btree (match_id);
CREATE INDEX tally_ends_at ON public.tally USING btree (ends_at);
CREATE INDEX turn_closed_at_opened_at ON public.turn USING btree (closed_at, opened_at) WHERE (closed_at IS NOT NULL);
CREATE INDEX turn_closed_seq_deadline_at ON public.turn USING btree (closed_seq, deadline_at);
CREATE INDEX turn_closed_seq_opened_at ON public.turn USING btree (closed_seq, opened_at) WHERE ((closed_seq IS NULL) AND (since IS NULL));
CREATE INDEX turn_match_id_closed_seq ON public.turn USING btree (match_id, closed_seq);
ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.address_change
    ADD CONSTRAINT address_change_other_id_fkey FOREIGN KEY (other_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.address_change
    ADD CONSTRAINT address_change_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.admin_session
    ADD CONSTRAINT admin_session_moderator_id_fkey FOREIGN KEY (moderator_id) REFERENCES public.moderator(id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT block_blocked_id_fkey FOREIGN KEY (blocked_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT block_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.draft
    ADD CONSTRAINT draft_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES public.turn(id);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT entry_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.loan
    ADD CONSTRAINT loan_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.loan
    ADD CONSTRAINT loan_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.loan
    ADD CONSTRAINT loan_stand_in_id_fkey FOREIGN KEY (stand_in_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.match
    ADD CONSTRAINT match_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.note
    ADD CONSTRAINT note_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.note
    ADD CONSTRAINT note_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_moderator_id_fkey FOREIGN KEY (moderator_id) REFERENCES public.moderator(id);
ALTER TABLE ONLY public.report_line
    ADD CONSTRAINT report_line_report_id_fkey FOREIGN KEY (report_id) REFERENCES public.report(id);
ALTER TABLE ONLY public.report
    ADD CONSTRAINT report_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.report
    ADD CONSTRAINT report_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.report
    ADD CONSTRAINT report_subject_id_fkey FOREIGN KEY (subject_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.seat_alert
    ADD CONSTRAINT seat_alert_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT seat_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT seat_player_id_fkey FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.sending
    ADD CONSTRAINT sending_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES public.turn(id);
ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.takeback
    ADD CONSTRAINT takeback_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
ALTER TABLE ONLY public.turn
    ADD CONSTRAINT turn_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);
