//! The gate by its definition: a map for every net, no index, no sharing, no buffers.
//!
//! Written after the words of the design and of the gate's documentation. Everything is worked out on
//! clones, and a call that does not go through leaves them behind.

mod course;
mod net;

use std::collections::BTreeSet;

use petriflow_gate::{Answer, Resolution, Resolver as _, Timestamp, ToolCall, ToolResult};

use self::course::{Course, Objection, Part, Waiting, follow, settle_waiting};
use self::net::{Restless, Tokens};
use super::event::{Event, START, Seen, before};
use super::spec::{NetSpec, PolicySpec};
use super::words::{Words, stands_for};

/// A session, naively.
#[derive(Debug, Clone)]
pub struct Model {
    policy: PolicySpec,
    nets: Vec<ModelNet>,
    open: Vec<OpenCall>,
    /// Ids of calls whose result may still come, the oldest first.
    forgotten: Vec<String>,
    questions: Vec<Question>,
    next_ticket: u64,
    now: Timestamp,
}

#[derive(Debug, Clone)]
struct ModelNet {
    spec: NetSpec,
    tokens: Tokens,
    active: bool,
}

#[derive(Debug, Clone)]
struct OpenCall {
    call: ToolCall,
    decided_at: Timestamp,
    /// Net by position.
    waiting: Vec<(usize, Waiting)>,
    held: Vec<(usize, Tokens)>,
}

impl OpenCall {
    fn is_idle(&self) -> bool {
        let holds = |(_, tokens): &(usize, Tokens)| tokens.values().any(|&tokens| tokens > 0);
        self.waiting.is_empty() && !self.held.iter().any(holds)
    }
}

#[derive(Debug, Clone)]
struct Question {
    ticket: u64,
    call: ToolCall,
    expires_at: Timestamp,
    asked: Approvals,
}

/// Nets by position, their tools and transitions.
type Approvals = BTreeSet<(usize, (String, String))>;

impl Model {
    /// A fresh session.
    pub fn new(policy: &PolicySpec) -> Self {
        let is_active =
            |net: &NetSpec| policy.active.as_ref().is_none_or(|active| active.contains(&net.name));
        let net = |spec: &NetSpec| ModelNet {
            spec: spec.clone(),
            tokens: spec.start(),
            active: is_active(spec),
        };
        Self {
            policy: policy.clone(),
            nets: policy.nets.iter().map(net).collect(),
            open: Vec::new(),
            forgotten: Vec::new(),
            questions: Vec::new(),
            next_ticket: 1,
            now: START,
        }
    }

    /// The names of the nets.
    pub fn names(&self) -> Vec<String> {
        self.policy.names()
    }

    /// The nets.
    pub fn specs(&self) -> impl Iterator<Item = &NetSpec> {
        self.nets.iter().map(|net| &net.spec)
    }

    /// The calls in flight, the oldest first.
    pub fn open_calls(&self) -> Vec<ToolCall> {
        self.open.iter().map(|open| open.call.clone()).collect()
    }

    /// The questions nobody has answered, with the calls they are about.
    pub fn questions(&self) -> Vec<(u64, ToolCall)> {
        self.questions.iter().map(|q| (q.ticket, q.call.clone())).collect()
    }

    /// How many firings wait for results.
    pub fn pending_firings(&self) -> usize {
        self.open.iter().map(|open| open.waiting.len()).sum()
    }

    /// The tokens of every net, place by place as declared.
    pub fn markings(&self) -> Vec<Vec<u32>> {
        let tokens = |net: &ModelNet| {
            net.spec.places.iter().map(|(place, _)| net.tokens[place]).collect::<Vec<u32>>()
        };
        self.nets.iter().map(tokens).collect()
    }

    /// Whether each net takes part in decisions.
    pub fn active(&self) -> Vec<bool> {
        self.nets.iter().map(|net| net.active).collect()
    }

    /// How many parts of a call a net has a say about.
    pub fn parts_covered(&self, net: &str, call: &ToolCall) -> usize {
        let Some(net) = self.nets.iter().find(|candidate| candidate.spec.name == net) else {
            return 0;
        };
        let parts = self.parts(&net.spec, call);
        parts.iter().filter(|part| !net.spec.covering(&part.tool).is_empty()).count()
    }

    /// Lets something happen. The nets named in `entangled` refuse this call with that cause,
    /// whatever the model says about it.
    pub fn play(&mut self, event: &Event, entangled: &BTreeSet<String>) -> Seen {
        match event {
            Event::Decide(call) => self.decide(call, None, entangled),
            Event::Answer { call, ticket, answer } => {
                self.answer(call, *ticket, *answer, entangled)
            }
            Event::Result(result) => self.result(result),
            Event::Activate(net) => self.switch(net, true),
            Event::Deactivate(net) => self.switch(net, false),
            Event::SaveAndRestore => Seen::Nothing,
            Event::Wait { ms } => {
                self.now = self.now.after_ms(*ms);
                Seen::Nothing
            }
            Event::Expire { age_ms } => {
                let before = before(self.now, *age_ms);
                let is_old = |open: &OpenCall| open.decided_at < before;
                let mut count = 0;
                while let Some(at) = self.open.iter().position(is_old) {
                    self.forget(at);
                    count += 1;
                }
                Seen::Forgotten(count)
            }
        }
    }

    fn decide(
        &mut self,
        call: &ToolCall,
        granted: Option<&Approvals>,
        entangled: &BTreeSet<String>,
    ) -> Seen {
        if let Some(known) = self.known(call) {
            return known;
        }
        if self.unresolved(call) {
            return refused("Unresolved");
        }
        let mut objections = BTreeSet::new();
        let mut courses: Vec<(usize, Course)> = Vec::new();
        for (number, net) in self.nets.iter().enumerate().filter(|(_, net)| net.active) {
            let parts = self.parts(&net.spec, call);
            let followed = if entangled.contains(&net.spec.name) {
                Err(Objection::Entangled)
            } else {
                follow(&net.spec, &net.tokens, &parts)
            };
            match followed {
                Ok(course) => courses.extend(course.map(|course| (number, course))),
                Err(objection) => {
                    objections.insert((net.spec.name.clone(), format!("{objection:?}")));
                }
            }
        }
        if !objections.is_empty() {
            return Seen::Blocked(objections);
        }
        self.commit(call, courses, granted)
    }

    fn commit(
        &mut self,
        call: &ToolCall,
        courses: Vec<(usize, Course)>,
        granted: Option<&Approvals>,
    ) -> Seen {
        let idle = self.open.iter().position(OpenCall::is_idle);
        let is_full = self.open.len() >= self.policy.open_calls_max;
        if is_full && idle.is_none() {
            // A call that no net has a say about needs no room.
            return if courses.is_empty() { Seen::Allowed } else { refused("TooManyOpen") };
        }
        let manual = |(net, course): &(usize, Course)| {
            let net = *net;
            course.manual.iter().map(move |asked| (net, asked.clone())).collect::<Vec<_>>()
        };
        let manual: Approvals = courses.iter().flat_map(manual).collect();
        if !manual.is_subset(granted.unwrap_or(&Approvals::new())) {
            return self.ask(call, manual);
        }
        if let (true, Some(idle)) = (is_full, idle) {
            self.forget(idle);
        }
        let (mut waiting, mut held) = (Vec::new(), Vec::new());
        for (number, course) in courses {
            self.nets[number].tokens = course.now;
            waiting.extend(course.waiting.into_iter().map(|wait| (number, wait)));
            held.push((number, course.held));
        }
        self.open.push(OpenCall { call: call.clone(), decided_at: self.now, waiting, held });
        Seen::Allowed
    }

    /// Takes a call out whose result has not come. Its id stays in use for a while: the result may
    /// still come, and must not be taken for that of another call.
    fn forget(&mut self, at: usize) {
        let open = self.open.remove(at);
        self.give_back(&open);
        if !self.forgotten.contains(&open.call.id) {
            self.forgotten.push(open.call.id);
        }
        let kept_max = self.policy.open_calls_max.max(1);
        self.forgotten.drain(..self.forgotten.len().saturating_sub(kept_max));
    }

    fn give_back(&mut self, open: &OpenCall) {
        for (number, tokens) in &open.held {
            for (place, count) in tokens {
                *self.nets[*number].tokens.get_mut(place).expect("a place of the net") += count;
            }
        }
    }

    /// What is known about a call that is in flight or asked about.
    fn known(&self, call: &ToolCall) -> Option<Seen> {
        if let Some(open) = self.open.iter().find(|open| open.call.id == call.id) {
            return Some(if open.call == *call { Seen::Allowed } else { refused("IdInUse") });
        }
        if self.forgotten.contains(&call.id) {
            return Some(refused("IdInUse"));
        }
        let is_open = |q: &&Question| q.call.id == call.id && self.now <= q.expires_at;
        let question = self.questions.iter().find(is_open)?;
        if question.call != *call {
            return Some(refused("IdInUse"));
        }
        Some(Seen::Asked { ticket: question.ticket, nets: self.asking(&question.asked) })
    }

    fn ask(&mut self, call: &ToolCall, asked: Approvals) -> Seen {
        let now = self.now;
        if self.questions.iter().filter(|q| now <= q.expires_at).count()
            >= self.policy.approvals_max
        {
            return refused("TooManyOpen");
        }
        self.questions.retain(|q| now <= q.expires_at);
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let nets = self.asking(&asked);
        let expires_at = now.after_ms(self.policy.approval_ms);
        self.questions.push(Question { ticket, call: call.clone(), expires_at, asked });
        Seen::Asked { ticket, nets }
    }

    fn answer(
        &mut self,
        call: &ToolCall,
        ticket: u64,
        answer: Answer,
        entangled: &BTreeSet<String>,
    ) -> Seen {
        let fits = |q: &Question| q.ticket == ticket && q.call == *call;
        let Some(at) = self.questions.iter().position(fits) else {
            return refused("StaleApproval");
        };
        let question = self.questions.remove(at);
        if self.now > question.expires_at {
            return refused("StaleApproval");
        }
        let cause = match answer {
            Answer::Approved => return self.decide(call, Some(&question.asked), entangled),
            Answer::Rejected => "Rejected",
            Answer::Unavailable => "NobodyToAsk",
        };
        let nets = self.asking(&question.asked).into_iter();
        Seen::Blocked(nets.map(|net| (net, cause.into())).collect())
    }

    fn result(&mut self, result: &ToolResult) -> Seen {
        let is_it = |open: &OpenCall| open.call.id == result.id && open.call.tool == result.tool;
        let Some(at) = self.open.iter().position(is_it) else { return Seen::Ignored };
        let open = self.open.remove(at);
        self.give_back(&open);
        let mut fired = 0;
        let mut stuck = BTreeSet::new();
        for number in 0..self.nets.len() {
            let net = &mut self.nets[number];
            let of_net = open.waiting.iter().filter(|(of, _)| *of == number && !result.is_error);
            let mut tokens = net.tokens.clone();
            let mut count = 0;
            let settled = of_net.map(|(_, wait)| wait).try_for_each(|wait| {
                if let Some(next) = settle_waiting(&net.spec, &tokens, wait)? {
                    tokens = next;
                    count += 1;
                }
                Ok::<(), Restless>(())
            });
            match settled {
                Ok(()) => {
                    net.tokens = tokens;
                    fired += count;
                }
                // A net that does not come to rest stays where it was.
                Err(Restless) => drop(stuck.insert(net.spec.name.clone())),
            }
        }
        if stuck.is_empty() { Seen::Fired(fired) } else { Seen::Stuck(stuck) }
    }

    fn switch(&mut self, name: &str, on: bool) -> Seen {
        let is_registry = self.policy.active.is_some();
        let net = self.nets.iter_mut().find(|net| net.spec.name == name);
        match net.filter(|net| is_registry && net.active != on) {
            Some(net) => {
                net.active = on;
                Seen::Switched(true)
            }
            None => Seen::Switched(false),
        }
    }

    /// The parts of a call as a net sees them.
    fn parts(&self, net: &NetSpec, call: &ToolCall) -> Vec<Part> {
        if net.mapper.is_some() {
            return vec![Part::whole(&stands_for(call))];
        }
        match self.policy.words.then(|| Words.resolve(call)) {
            None | Some(Resolution::Itself) => vec![Part::whole(&call.tool)],
            Some(Resolution::Actions(actions)) => Part::several(&actions),
            Some(Resolution::Refused(_)) => Vec::new(),
        }
    }

    fn unresolved(&self, call: &ToolCall) -> bool {
        self.policy.words && matches!(Words.resolve(call), Resolution::Refused(_))
    }

    fn asking(&self, asked: &Approvals) -> BTreeSet<String> {
        asked.iter().map(|(net, _)| self.nets[*net].spec.name.clone()).collect()
    }
}

fn refused(cause: &str) -> Seen {
    Seen::Blocked(BTreeSet::from([(String::new(), cause.into())]))
}
