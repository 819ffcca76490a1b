@testable import Dashboard

// The views' models, which the dashboard itself reaches by their protocol only.
extension State {
    var threads: ThreadsView { views[.threads] as! ThreadsView }
    var timeline: TimelineView { views[.timeline] as! TimelineView }
    var sites: SitesView {
        get { views[.sites] as! SitesView }
        set { views[.sites] = newValue }
    }
    var warnings: WarningsView { views[.warnings] as! WarningsView }
    var events: EventsView { views[.events] as! EventsView }
    var profile: ProfileView { views[.profile] as! ProfileView }
    var overview: OverviewView { views[.overview] as! OverviewView }
}

extension Screen {
    /// What the views see.
    var seen: ViewContext { ViewContext(state) }
}

// SPDX-License-Identifier: MIT
